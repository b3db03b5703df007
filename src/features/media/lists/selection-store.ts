import type { MediaQuery, Site } from '../../../contract/media.ts';
import type { ReadingState } from '../../../contract/reading.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';
import {
  measureLibraries,
  mediaOfLibrary,
  mediaOfOtherLibraries,
  savedMedia,
} from '../../libraries/access/readable-media.ts';

/**
 * The scope of a list: one library, or everything that the viewer may read, which comes from several libraries.
 * `largest` is the library that contains nearly all of it, if there is one.
 */
export type ListScope =
  | { libraryId: string; size?: undefined }
  | {
      libraryId?: undefined;
      largest: string | undefined;
      /** The number of all media, when measuring the libraries has counted it. */
      size: number | undefined;
    };

/** The most media outside the largest library that are looked up in it one by one, so that each is counted once. */
const MOST_OUTSIDE = 5000;

/** Finds the scope of a list. A default library stands for everything that its owner may read. */
export async function findScope(
  sql: Queryable,
  viewer: Viewer,
  libraryId: string | undefined,
  mostOutside = MOST_OUTSIDE,
): Promise<ListScope> {
  if (libraryId !== undefined && libraryId !== viewer.default_library_id) return { libraryId };
  const [largest, ...others] = await measureLibraries(sql, viewer, mostOutside);
  const outside = others.reduce((sum, { size }) => sum + size, 0);
  const isCounted = largest !== undefined && largest.size < mostOutside && outside === 0;
  return {
    largest: outside < mostOutside ? largest?.library_id : undefined,
    size: isCounted ? largest.size : undefined,
  };
}

/** Returns the sources of a scope. `main` has no duplicates; `elsewhere` may contain a media several times. */
function sourcesOf(
  sql: Queryable,
  viewer: Viewer,
  scope: ListScope,
): { main?: SqlFragment; elsewhere: SqlFragment[] } {
  if (scope.libraryId !== undefined)
    return { main: mediaOfLibrary(sql, viewer, scope.libraryId), elsewhere: [] };
  const saved = savedMedia(sql, viewer);
  const { largest } = scope;
  const own = viewer.default_library_id;
  const shared = mediaOfOtherLibraries(sql, viewer, largest ?? own);
  if (largest === undefined) return { elsewhere: [saved, shared] };
  if (largest === own) return { main: saved, elsewhere: [shared] };
  return { main: mediaOfLibrary(sql, viewer, largest), elsewhere: [saved, shared] };
}

/** `started`: everything but `unread`. */
type FilteredState = ReadingState | 'started';
export type MediaFilter = Pick<MediaQuery, 'kind' | 'status' | 'site'> & {
  reading?: FilteredState | undefined;
};

export function asksOfMedia({ kind, status, site }: MediaFilter): boolean {
  return (kind ?? status ?? site) !== undefined;
}

/** The condition of a filter on `media`. */
export const matches = (sql: Queryable, { kind, status, site }: MediaFilter) => sql`
  true
  ${kind === undefined ? sql`` : sql`and media.kind = ${kind}`}
  ${status === undefined ? sql`` : sql`and media.processing_status = ${status}`}
  ${site === undefined ? sql`` : sql`and media.site = ${site}`}`;

const STATES = {
  unread: (sql: Queryable) => sql`reading.media_id is null`,
  reading: (sql: Queryable) => sql`reading.media_id is not null and reading.finished_at is null`,
  finished: (sql: Queryable) => sql`reading.finished_at is not null`,
  started: (sql: Queryable) => sql`reading.media_id is not null`,
} satisfies Record<FilteredState, (sql: Queryable) => unknown>;

/** The condition of a filter on `reading`, the viewer's reading progress. */
export const hasState = (sql: Queryable, state: FilteredState | undefined) =>
  state === undefined ? sql`true` : STATES[state](sql);

/**
 * Selects the `media_id` and `site` of matching media of a source, regardless of reading progress. Ready media have
 * kind and site in the source itself and are found by index; the others are looked up.
 */
function matchingIn(sql: Queryable, source: SqlFragment, filter: MediaFilter): SqlFragment {
  const { kind, status, site } = filter;
  const ready = sql`
    select media_id, ready_site as site
    from (${source}) as source
    where ready_kind is not null
      ${kind === undefined ? sql`` : sql`and ready_kind = ${kind}`}
      ${site === undefined ? sql`` : sql`and ready_site = ${site}`}`;
  const unready = sql`
    select source.media_id, media.site
    from (${source}) as source
    join media on media.id = source.media_id
    where source.ready_kind is null and source.ready_site is null and ${matches(sql, filter)}`;
  const mayBeReady = status === undefined || status === 'ready';
  return mayBeReady ? sql`${ready} union all ${unready}` : unready;
}

/** Combines the sources of a scope, each media once. `read` says what to select from a source. */
function combine(
  sql: Queryable,
  { main, elsewhere }: ReturnType<typeof sourcesOf>,
  columns: SqlFragment,
  read: (source: SqlFragment) => SqlFragment,
): SqlFragment {
  if (main !== undefined && elsewhere.length === 0) return read(main);
  const others = elsewhere.map(read).reduce((some, more) => sql`${some} union all ${more}`);
  if (main === undefined) return sql`select distinct ${columns} from (${others}) as found`;
  // `offset 0` makes PostgreSQL look up each row; otherwise it would collect the whole largest library first.
  return sql`
    ${read(main)}
    union all
    select distinct ${columns}
    from (${others}) as found
    join lateral (
      select exists (select from (${main}) as main where main.media_id = found.media_id) as is_there offset 0
    ) as main on not main.is_there`;
}

const matching = (sql: Queryable, viewer: Viewer, scope: ListScope, filter: MediaFilter) =>
  combine(sql, sourcesOf(sql, viewer, scope), sql`media_id, site`, (source) =>
    matchingIn(sql, source, filter),
  );

/** Selects the ids of matching media. A filter on started media begins with those, which are few. */
export function matchingIds(sql: Queryable, viewer: Viewer, scope: ListScope, filter: MediaFilter) {
  if (filter.reading !== undefined && filter.reading !== 'unread') return begun(sql, viewer, scope, filter);
  if (asksOfMedia(filter)) {
    return sql`select media_id from (${matching(sql, viewer, scope, filter)}) as matching`;
  }
  return combine(
    sql,
    sourcesOf(sql, viewer, scope),
    sql`media_id`,
    (source) => sql`select media_id from (${source}) as source`,
  );
}

/** Selects the media that the viewer has started, or those they are reading or have finished, as the filter says. */
const begun = (sql: Queryable, viewer: Viewer, { libraryId }: ListScope, filter: MediaFilter) => {
  const isThere =
    libraryId === undefined
      ? canReadMedia(sql, viewer, sql`reading.media_id`)
      : sql`exists (
          select
          from (${mediaOfLibrary(sql, viewer, libraryId)}) as source
          where source.media_id = reading.media_id
        )`;
  return sql`
    select reading.media_id
    from media_readings as reading
    ${asksOfMedia(filter) ? sql`join media on media.id = reading.media_id and ${matches(sql, filter)}` : sql``}
    join lateral (select ${isThere} as is_there offset 0) as source on source.is_there
    where reading.user_id = ${viewer.user_id}
      and ${hasState(sql, filter.reading === 'unread' ? undefined : filter.reading)}`;
};

/** Lists the ids of matching media after `last`, in the order of the ids. */
export async function listMatchingIds(
  sql: Queryable,
  viewer: Viewer,
  scope: ListScope,
  { filter, last, limit }: { filter: MediaFilter; last: string | null; limit: number },
): Promise<string[]> {
  const isStarted = sql`exists (
    select
    from media_readings as reading
    where reading.user_id = ${viewer.user_id} and reading.media_id = matching.media_id
  )`;
  const rows = await sql<{ media_id: string }[]>`
    select matching.media_id
    from (${matchingIds(sql, viewer, scope, filter)}) as matching
    where ${filter.reading === 'unread' ? sql`not ${isStarted}` : sql`true`}
      ${last === null ? sql`` : sql`and matching.media_id > ${last}`}
    order by matching.media_id
    limit ${limit}`;
  return rows.map(({ media_id }) => media_id);
}

/** Counts the matching media, and the candidates for them. Unread ones are the matching minus the started ones. */
export async function countMedia(sql: Queryable, viewer: Viewer, scope: ListScope, filter: MediaFilter) {
  const { size } = scope;
  if (size !== undefined && !asksOfMedia(filter) && filter.reading === undefined)
    return { total: size, candidates: size };
  const isUnread = filter.reading === 'unread';
  const [counted] = await sql<[{ candidates: number; begun: number }]>`
    select
      (select count(*) from (${matchingIds(sql, viewer, scope, filter)}) as matching) as candidates,
      ${isUnread ? sql`(select count(*) from (${begun(sql, viewer, scope, filter)}) as begun)` : sql`0`} as begun`;
  return { total: counted.candidates - counted.begun, candidates: counted.candidates };
}

/** Lists sites, most frequent first. */
export async function listSites(sql: Queryable, viewer: Viewer, scope: ListScope, limit: number) {
  return sql<Site[]>`
    select site, count(*)
    from (${matching(sql, viewer, scope, {})}) as matching
    where site is not null
    group by site
    order by count(*) desc, site
    limit ${limit}`;
}
