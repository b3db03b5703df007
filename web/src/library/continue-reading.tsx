import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Media, MediaPage } from '../api/types.ts';
import { Cover } from './cover.tsx';
import { minutesLeft, siteOf, titleOf } from './format.ts';

const SHOWN = 3;

/** The unfinished media that were read last. It has the shape of a list, so that changes of its media reach it. */
const continueReadingQuery = (libraryId: string) =>
  infiniteQueryOptions({
    queryKey: queryKeys.continueReading(libraryId),
    queryFn: ({ signal }) =>
      api.get<MediaPage>(
        '/media',
        { library_id: libraryId, reading: 'reading', archived: false, sort: 'read', limit: SHOWN + 1 },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: () => undefined,
    // The reader has changed it since.
    refetchOnMount: 'always',
  });

/** The items that the person was reading last, above their library. Nothing when they have finished everything. */
export function ContinueReading({ libraryId, hidden }: { libraryId: string; hidden: ReadonlySet<string> }) {
  const list = useInfiniteQuery(continueReadingQuery(libraryId));
  const media = (list.data?.pages.flatMap(({ data }) => data) ?? [])
    .filter(
      ({ id, reading, capabilities, mine }) =>
        capabilities.can_read && isUnfinished(reading) && !mine.is_archived && !hidden.has(id),
    )
    .slice(0, SHOWN);
  if (media.length === 0) return null;
  return (
    <section className="continue" aria-labelledby="continue-title">
      <h2 id="continue-title" className="continue-heading">
        Continue reading
      </h2>
      <ul className="continue-list">
        {media.map((item) => (
          <ContinueCard key={item.id} media={item} />
        ))}
      </ul>
    </section>
  );
}

const isUnfinished = (reading: Media['reading']) => reading !== null && reading.finished_at === null;

function ContinueCard({ media }: { media: Media }) {
  const share = Math.round((media.reading?.progress ?? 0) * 100);
  const left = minutesLeft(media);
  const from = media.author ?? siteOf(media);
  return (
    <li className="continue-card">
      <Cover media={media} look="thumb" />
      <div className="continue-text">
        <h3 className="continue-title">
          <Link to="/read/$mediaId" params={{ mediaId: media.id }} dir="auto">
            {titleOf(media)}
          </Link>
        </h3>
        <p className="continue-meta">
          {from && <span className="truncate">{from}</span>}
          <span className="continue-left">{left ?? `${share} % read`}</span>
        </p>
        <span className="progress" aria-hidden>
          <span className="progress-fill" style={{ width: `${share}%` }} />
        </span>
      </div>
    </li>
  );
}
