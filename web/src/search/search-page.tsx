import '../library/library.css';
import './search.css';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Search, SearchX } from 'lucide-react';
import { useDeferredValue, useEffect, useRef } from 'react';
import { ApiError, api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListPage, MediaKind, Passage, SearchHit } from '../api/types.ts';
import { KIND_NAMES, KINDS, titleOf } from '../library/format.ts';
import { MetaLine } from '../library/media-summary.tsx';
import { librariesQuery } from '../library/queries.ts';
import { TagChips } from '../mine/tag-chips.tsx';
import { Select } from '../ui/field.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState, ErrorState, MoreButton, SkeletonText } from '../ui/states.tsx';
import { useTypedText } from '../ui/use-typed-text.ts';
import { QueryHelp } from './query-help.tsx';
import { SaveSearch } from './saved-searches.tsx';
import type { SearchParams } from './search-params.ts';

const route = getRouteApi('/signed-in/search');
const TYPING_MS = 180;

/** Full-text search in everything the person can read, while they type. */
export default function SearchPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const libraries = useQuery(librariesQuery);
  const input = useRef<HTMLInputElement>(null);
  const set = (change: Partial<Record<keyof SearchParams, string | undefined>>) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value);
    void navigate({ to: '/search', search: Object.fromEntries(next) as SearchParams, replace: true });
  };
  const [text, setText] = useTypedText(search.q ?? '', TYPING_MS, (q) => set({ q }));

  usePageTitle('Search');
  useEffect(() => input.current?.focus(), []);

  return (
    <div className="page page-narrow">
      <h1 className="visually-hidden">Search</h1>
      <search className="search-box">
        <div className="search-field">
          <Search size={20} aria-hidden />
          <input
            ref={input}
            type="search"
            className="input search-input"
            aria-label="Search"
            placeholder='Words, "exact phrases", tag:…'
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <div className="row">
          <Select
            label="Library"
            value={search.library ?? ''}
            options={[
              { value: '', label: 'All libraries' },
              ...(libraries.data ?? []).map(({ id, name, is_default }) => ({
                value: id,
                label: is_default ? 'My library' : name,
              })),
            ]}
            onChange={(library) => set({ library })}
          />
          <Select
            label="Type"
            value={search.kind ?? ''}
            options={[
              { value: '' as MediaKind, label: 'Any type' },
              ...KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind].label })),
            ]}
            onChange={(kind) => set({ kind })}
          />
          {search.q && <SaveSearch query={search.q} />}
        </div>
        <QueryHelp
          onAdd={(condition) => {
            setText((before) => `${before.trimEnd()} ${condition}`.trimStart());
            input.current?.focus();
          }}
        />
      </search>
      {search.q ? (
        <Results {...search} q={search.q} />
      ) : (
        <EmptyState icon={Search} title="Search your libraries">
          Searches the full text of every article, book, PDF and transcript that you can read.
        </EmptyState>
      )}
    </div>
  );
}

function Results({ q, library, kind }: SearchParams & { q: string }) {
  const deferred = useDeferredValue(q);
  const hits = useInfiniteQuery({
    queryKey: queryKeys.search({ q: deferred, library, kind }),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage<SearchHit>>(
        '/search',
        { q: deferred, library_id: library, kind, limit: 20, cursor: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  // While a person types, a query is often incomplete.
  if (hits.error instanceof ApiError && hits.error.code === 'E_INVALID_QUERY') {
    return (
      <p className="search-mistake" role="status">
        {hits.error.message}
      </p>
    );
  }
  if (hits.error) return <ErrorState error={hits.error} onRetry={() => void hits.refetch()} />;
  if (!hits.data) return <SkeletonText lines={8} />;
  const found = hits.data.pages.flatMap(({ data }) => data);
  if (found.length === 0) {
    return (
      <EmptyState icon={SearchX} title={`No results for "${q}"`}>
        Try fewer or different words. New items become searchable once they are processed.
      </EmptyState>
    );
  }
  return (
    <>
      <ol className="hits" aria-label="Results">
        {found.map((hit) => (
          <Hit key={hit.media.id} hit={hit} q={deferred} />
        ))}
      </ol>
      {hits.hasNextPage && (
        <div className="empty-actions">
          <MoreButton list={hits} />
        </div>
      )}
    </>
  );
}

function Hit({ hit: { media, passages }, q }: { hit: SearchHit; q: string }) {
  const [first, ...others] = passages;
  const isInText = first?.snippet.some(({ is_match }) => is_match) ?? false;
  return (
    <li className="hit">
      <h2 className="media-heading">
        <Link
          to="/read/$mediaId"
          params={{ mediaId: media.id }}
          search={first && isInText ? visitOf(first, q) : {}}
          className="media-title"
        >
          {titleOf(media)}
        </Link>
      </h2>
      {first && <PassageText passage={first} isInBook={others.length > 0} />}
      <MetaLine media={media} />
      <TagChips media={media} />
      {others.length > 0 && (
        <ul className="hit-passages" aria-label={`More passages of ${titleOf(media)}`}>
          {others.map((passage) => (
            <li key={`${passage.fragment_idx}-${passage.start}`}>
              <Link
                to="/read/$mediaId"
                params={{ mediaId: media.id }}
                search={visitOf(passage, q)}
                className="hit-passage"
              >
                <PassageText passage={passage} isInBook />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The address of a passage in the reader, with the words to mark. */
function visitOf({ fragment_idx, start }: Passage, q: string) {
  return { at: fragment_idx, from: start, q };
}

function PassageText({
  passage: { fragment_title, snippet },
  isInBook,
}: {
  passage: Passage;
  isInBook: boolean;
}) {
  return (
    <p className="snippet">
      {isInBook && fragment_title && <b className="snippet-title">{fragment_title}</b>}
      {snippet.map(({ text, is_match }, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change
        is_match ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
      )}
    </p>
  );
}
