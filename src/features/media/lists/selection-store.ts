import type { MediaQuery, Site } from '../../../contract/media.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';
import {
  isInLibrary,
  measureLibraries,
  mediaOfLibrary,
  mediaOfOtherLibraries,
  savedMedia,
} from '../../libraries/access/readable-media.ts';
import type { QueryPlan } from '../search/query/plan.ts';
import { countRows } from '../search/query/query-store.ts';
import { beginsWithOwn, firstOwn, isAmongOwn, leftOut, type OwnFilter } from './own-conditions.ts';

/**
 * The scope of a list: one library, or everything that the viewer may read, which comes from several libraries.
 * `largest` is the library that contains nearly all of it, if there is one.
 */
export type ListScope =
  | { libraryId: string; size?: undefined; unfilled?: undefined }
  | {
      libraryId?: undefined;
      largest: string | undefined;
      /** The number of all media, when measuring the libraries has counted it. */
      size: number | undefined;
      /** The libraries whose media no backfill has added to the default library yet. */
      unfilled: string[];
    };

/** The most media outside the largest library that are looked up in it one by one, so that each is counted once. */
const MOST_OUTSIDE = 5000;

/** The most media that are left out one by one: each is looked up in the scope. More are joined with all candidates. */
const MOST_SUBTRACTED = 1000;

/** Returns the scope of a list if every backfill of the viewer has run, without a measure of its libraries. */
export function filledScope(viewer: Viewer, libraryId: string | undefined): ListScope {
  if (libraryId !== undefined && libraryId !== viewer.default_library_id) return { libraryId };
  return { largest: undefined, size: undefined, unfilled: [] };
}

/** Finds the scope of a list. A default library stands for everything that its owner may read. */
export async function findScope(
  sql: Queryable,
  viewer: Viewer,
  libraryId: string | undefined,
  mostOutside = MOST_OUTSIDE,
): Promise<ListScope> {
  const filled = filledScope(viewer, libraryId);
  if (filled.libraryId !== undefined) return filled;
  const libraries = await measureLibraries(sql, viewer, mostOutside);
  const [largest, ...others] = libraries;
  const outside = others.reduce((sum, { size }) => sum + size, 0);
  const isCounted = largest !== undefined && largest.size < mostOutside && outside === 0;
  return {
    largest: outside < mostOutside ? largest?.library_id : undefined,
    size: isCounted ? largest.size : undefined,
    unfilled: libraries.flatMap(({ library_id, is_unfilled }) => (is_unfilled ? [library_id] : [])),
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

/** `asked` is the search query of a list. */
export type MediaFilter = Pick<MediaQuery, 'kind' | 'status' | 'site'> & OwnFilter & { asked?: QueryPlan };

export function asksOfMedia({ kind, status, site, asked }: MediaFilter): boolean {
  return (kind ?? status ?? site ?? asked) !== undefined;
}

/** The condition of a filter on `media`, without its search query. */
export const matchesFacts = (sql: Queryable, { kind, status, site }: MediaFilter) => sql`
  true
  ${kind === undefined ? sql`` : sql`and media.kind = ${kind}`}
  ${status === undefined ? sql`` : sql`and media.processing_status = ${status}`}
  ${site === undefined ? sql`` : sql`and media.site = ${site}`}`;

const matches = (sql: Queryable, filter: MediaFilter) =>
  filter.asked ? sql`${matchesFacts(sql, filter)} and ${filter.asked.isMatch}` : matchesFacts(sql, filter);

/**
 * Selects the `media_id` and `site` of matching media of a source, regardless of reading progress. Ready media have
 * kind and site in the source itself and are found by index; the others are looked up. A search query needs all of the media.
 */
function matchingIn(sql: Queryable, source: SqlFragment, filter: MediaFilter): SqlFragment {
  const { kind, status, site, asked } = filter;
  if (asked) {
    return sql`
      select source.media_id, media.site
      from (${source}) as source
      join media on media.id = source.media_id
      where ${matches(sql, filter)}`;
  }
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

/** Whether the filter begins with few rows, so that its candidates are exact. */
const beginsWithFew = (filter: MediaFilter) => filter.asked?.rows !== undefined || beginsWithOwn(filter);

/**
 * Selects the ids of candidates: of matching media, except that what the filter leaves out is still there. A filter on the
 * viewer's own rows, or a search query that is true of few media, begins with those; its candidates are exact.
 */
export function candidateIds(sql: Queryable, viewer: Viewer, scope: ListScope, filter: MediaFilter) {
  const rare = filter.asked?.rows;
  if (rare !== undefined || beginsWithOwn(filter)) {
    const own = rare
      ? {
          rows: sql`select distinct media_id from (${rare}) as asked`,
          isWanted: isAmongOwn(sql, viewer, filter, sql`own.media_id`),
        }
      : firstOwn(sql, viewer, filter, sql`own.media_id`);
    return within(sql, viewer, scope, { ...own, filter });
  }
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

/**
 * Whether a media is in a scope. Where nearly all of it comes from one library, that is looked up first: one look-up instead of
 * the three that `canReadMedia` needs for a media that came through a library.
 */
function isInScope(sql: Queryable, viewer: Viewer, scope: ListScope, mediaId: SqlFragment): SqlFragment {
  if (scope.libraryId !== undefined) return isInLibrary(sql, viewer, scope.libraryId, mediaId);
  const mayRead = canReadMedia(sql, viewer, mediaId);
  if (scope.largest === undefined || scope.largest === viewer.default_library_id) return mayRead;
  return sql`(${isInLibrary(sql, viewer, scope.largest, mediaId)} or ${mayRead})`;
}

/** Selects those of the viewer's own rows that are in the scope, match the filter on `media`, and are wanted. */
const within = (
  sql: Queryable,
  viewer: Viewer,
  scope: ListScope,
  { rows, filter, isWanted }: { rows: SqlFragment; filter: MediaFilter; isWanted: SqlFragment },
) => {
  const isThere = isInScope(sql, viewer, scope, sql`own.media_id`);
  return sql`
    select own.media_id
    from (${rows}) as own
    ${asksOfMedia(filter) ? sql`join media on media.id = own.media_id and ${matches(sql, filter)}` : sql``}
    join lateral (select ${isThere} and ${isWanted} as is_there offset 0) as source on source.is_there`;
};

/** Lists the ids of matching media after `last`, in the order of the ids. */
export async function listMatchingIds(
  sql: Queryable,
  viewer: Viewer,
  scope: ListScope,
  { filter, last, limit }: { filter: MediaFilter; last: string | null; limit: number },
): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select matching.media_id
    from (${candidateIds(sql, viewer, scope, filter)}) as matching
    where ${isAmongOwn(sql, viewer, filter, sql`matching.media_id`)}
      ${last === null ? sql`` : sql`and matching.media_id > ${last}`}
    order by matching.media_id
    limit ${limit}`;
  return rows.map(({ media_id }) => media_id);
}

/**
 * Counts the matching media, and the candidates for them: the matching are the candidates minus those left out. A search query
 * may be expensive, so its candidates are returned as well, `mostIds` of them, for whoever reads them next.
 */
export async function countMedia(
  sql: Queryable,
  viewer: Viewer,
  scope: ListScope,
  {
    filter,
    mostIds,
    mostSubtracted = MOST_SUBTRACTED,
  }: { filter: MediaFilter; mostIds: number; mostSubtracted?: number | undefined },
): Promise<{ total: number; candidates: number; ids: string[] }> {
  const { size } = scope;
  const out = beginsWithFew(filter) ? undefined : leftOut(sql, viewer, filter);
  const isAll = size !== undefined && !asksOfMedia(filter) && !beginsWithFew(filter);
  if (isAll && !out) return { total: size, candidates: size, ids: [] };
  const candidate = sql`with candidate as (${candidateIds(sql, viewer, scope, filter)})`;
  const ids = filter.asked ? sql`array(select media_id from candidate limit ${mostIds})` : sql`'{}'::uuid[]`;
  if (out && !isAll && (await isMany(sql, out, mostSubtracted))) {
    const [{ total, ...counted }] = await sql<[{ total: number; candidates: number; ids: string[] }]>`
      ${candidate}
      select count(*) as candidates, count(*) - count(excluded.media_id) as total, ${ids} as ids
      from candidate
      left join (select distinct media_id from (${out}) as own) as excluded on excluded.media_id = candidate.media_id`;
    return { total, ...counted };
  }
  const excluded = out && within(sql, viewer, scope, { rows: out, filter, isWanted: sql`true` });
  const [counted] = await sql<[{ candidates: number; excluded: number; ids: string[] }]>`
    ${isAll ? sql`` : candidate}
    select
      ${isAll ? sql`${size}::int` : sql`(select count(*) from candidate)`} as candidates,
      ${excluded ? sql`(select count(*) from (${excluded}) as excluded)` : sql`0`} as excluded,
      ${ids} as ids`;
  return {
    total: counted.candidates - counted.excluded,
    candidates: counted.candidates,
    ids: counted.ids,
  };
}

async function isMany(sql: Queryable, rows: SqlFragment, most: number): Promise<boolean> {
  const [count = 0] = await countRows(sql, [rows], most + 1);
  return count > most;
}

/** Lists the ids of matching media up to `most`, in no order: the statement ends as soon as it has found so many. */
export async function findUpTo(
  sql: Queryable,
  viewer: Viewer,
  scope: ListScope,
  { filter, most }: { filter: MediaFilter; most: number },
): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select matching.media_id
    from (${candidateIds(sql, viewer, scope, filter)}) as matching
    where ${isAmongOwn(sql, viewer, filter, sql`matching.media_id`)}
    limit ${most}`;
  return rows.map(({ media_id }) => media_id);
}

/** Counts the media of a scope up to `most`; those in several libraries may count several times. */
export async function countScope(sql: Queryable, viewer: Viewer, scope: ListScope, most: number) {
  const { main, elsewhere } = sourcesOf(sql, viewer, scope);
  const counts = await Promise.all(
    [...(main ? [main] : []), ...elsewhere].map(
      (source) =>
        sql<
          [{ count: number }]
        >`select count(*) from (select from (${source}) as source limit ${most}) as counted`,
    ),
  );
  return counts.reduce((sum, [{ count }]) => sum + count, 0);
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
