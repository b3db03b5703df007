import './highlights.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Highlighter, SearchX } from 'lucide-react';
import { HIGHLIGHT_COLORS } from '../../../src/contract/highlight-selectors.ts';
import type { Highlight } from '../api/types.ts';
import { Select } from '../ui/field.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState, MoreButton, Pending, SkeletonText } from '../ui/states.tsx';
import { useTypedText } from '../ui/use-typed-text.ts';
import { COLOR_NAMES } from './colors.ts';
import { HighlightMeta, QuoteText } from './highlight-card.tsx';
import type { HighlightParams } from './highlight-params.ts';
import { allHighlightsQuery } from './queries.ts';

const route = getRouteApi('/signed-in/highlights');
const TYPING_MS = 250;

/** All highlights that the person sees, newest first. Each leads to its place in the text. */
export default function HighlightsPage() {
  const params = route.useSearch();
  const navigate = useNavigate();
  const set = (change: { [Name in keyof HighlightParams]?: string | undefined }) => {
    const next = Object.entries({ ...params, ...change }).filter(([, value]) => value);
    void navigate({ to: '/highlights', search: Object.fromEntries(next) as HighlightParams, replace: true });
  };
  const [text, setText] = useTypedText(params.q ?? '', TYPING_MS, (q) => set({ q }));

  usePageTitle('Highlights');
  const query = useInfiniteQuery(allHighlightsQuery(params));
  const highlights = query.data?.pages.flatMap(({ data }) => data);
  const isFiltered = Object.keys(params).length > 0;
  return (
    <div className="page page-narrow">
      <h1 className="page-title">Highlights</h1>
      <search className="highlights-filters">
        <input
          type="search"
          className="input"
          aria-label="Search highlights"
          placeholder="Search passages and notes"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Select
          label="Whose"
          value={params.by ?? ''}
          options={[
            { value: '', label: "Everybody's" },
            { value: 'me', label: 'Mine' },
            { value: 'others', label: 'Shared with me' },
          ]}
          onChange={(by) => set({ by })}
        />
        <Select
          label="Colour"
          value={params.color ?? ''}
          options={[
            { value: '', label: 'Any colour' },
            ...HIGHLIGHT_COLORS.map((color) => ({ value: color, label: COLOR_NAMES[color] })),
          ]}
          onChange={(color) => set({ color })}
        />
        <Select
          label="Show"
          value={params.is ?? params.has ?? ''}
          options={[
            { value: '', label: 'All' },
            { value: 'unread', label: 'New' },
            { value: 'note', label: 'With a note' },
            { value: 'replies', label: 'With replies' },
            { value: 'unplaced', label: 'Not in the text' },
          ]}
          onChange={(show) =>
            set(
              show === 'note' || show === 'replies'
                ? { has: show, is: undefined }
                : { is: show, has: undefined },
            )
          }
        />
      </search>
      <Pending query={query}>
        <SkeletonText lines={10} />
      </Pending>
      {highlights?.length === 0 &&
        (isFiltered ? (
          <EmptyState icon={SearchX} title="No highlights found">
            Try other words or filters.
          </EmptyState>
        ) : (
          <EmptyState icon={Highlighter} title="No highlights yet">
            Select text while you read to highlight it. Everything you highlight, and what others share with
            you, is listed here.
          </EmptyState>
        ))}
      <div className="highlight-list">
        {highlights?.map((one) => (
          <ListedHighlight key={one.id} highlight={one} />
        ))}
      </div>
      <MoreButton list={query} />
    </div>
  );
}

function ListedHighlight({ highlight }: { highlight: Highlight }) {
  const { id, media_id, media_title, target, note, color } = highlight;
  const quote = <QuoteText highlight={highlight} />;
  return (
    <article className="highlight-card" data-color={color}>
      {media_title === null ? (
        <p className="highlight-quote">{quote}</p>
      ) : (
        <Link
          className="highlight-quote"
          to="/read/$mediaId"
          params={{ mediaId: media_id }}
          search={{ at: target.fragment_idx, highlight: id }}
        >
          {quote}
        </Link>
      )}
      {note && <Markdown text={note} />}
      <HighlightMeta highlight={highlight}>
        <span className="truncate">{media_title ?? 'You no longer have access to this item'}</span>
      </HighlightMeta>
    </article>
  );
}
