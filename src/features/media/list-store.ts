import type { ListedMedia, MediaQuery, MediaSort, SiteList, SortOrder } from '../../contract/media.ts';
import type { ReadingState } from '../../contract/reading.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { canReadMedia, type Viewer } from '../libraries/can-read-media.ts';
import { type MediaRow, mediaColumns, onTheWire, readingOf } from '../libraries/media-row.ts';
import { microseconds, moment } from '../libraries/moments.ts';

export type MediaFilter = Pick<MediaQuery, 'kind' | 'status' | 'site' | 'reading' | 'library_id'>;

/** Where a page ends: the last row's key and id. Moments are microseconds. */
export interface ListPosition {
  key: string | number;
  id: string;
}

/**
 * What the viewer's default library will hold, but no backfill has put there yet: the libraries that they have joined and
 * can read already.
 */
export async function listUnfilledSources(sql: Queryable, viewer: Viewer): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select memberships.library_id as id
    from default_library_backfill_jobs as backfill
    join memberships
      on memberships.library_id = backfill.source_library_id and memberships.user_id = backfill.user_id
    where backfill.default_library_id = ${viewer.default_library_id}
      and backfill.user_id = ${viewer.user_id}
      and backfill.status <> 'completed'`;
  return rows.map(({ id }) => id);
}

/** The rows of one library, if the viewer is in it; or of their default library and what is still on its way there. */
const listed = (sql: Queryable, viewer: Viewer, libraryId: string | undefined, unfilled: string[]) => {
  const columns = sql`library_media.media_id, library_media.created_at`;
  if (libraryId !== undefined) {
    return sql`
      select ${columns}
      from library_media
      where library_media.library_id = ${libraryId}
        and exists (select from memberships where library_id = ${libraryId} and user_id = ${viewer.user_id})`;
  }
  const own = sql`
    select ${columns} from library_media where library_media.library_id = ${viewer.default_library_id}`;
  if (unfilled.length === 0) return own;
  return sql`
    ${own}
    union all
    select library_media.media_id, min(library_media.created_at)
    from library_media
    where library_media.library_id = any(${unfilled}::uuid[])
      and not exists (
        select
        from library_media as own
        where own.library_id = ${viewer.default_library_id} and own.media_id = library_media.media_id
      )
    group by library_media.media_id`;
};

const STATES = {
  unread: (sql: Queryable) => sql`reading.media_id is null`,
  reading: (sql: Queryable) => sql`reading.media_id is not null and reading.finished_at is null`,
  finished: (sql: Queryable) => sql`reading.finished_at is not null`,
} satisfies Record<ReadingState, (sql: Queryable) => unknown>;

const matches = (sql: Queryable, filter: MediaFilter) => sql`
  true
  ${filter.kind === undefined ? sql`` : sql`and media.kind = ${filter.kind}`}
  ${filter.status === undefined ? sql`` : sql`and media.processing_status = ${filter.status}`}
  ${filter.site === undefined ? sql`` : sql`and media.site = ${filter.site}`}
  ${filter.reading === undefined ? sql`` : sql`and ${STATES[filter.reading](sql)}`}`;

/** Members may read all of a library. What a default library holds must be justified. */
const mayRead = (sql: Queryable, viewer: Viewer, libraryId: string | undefined) =>
  libraryId === undefined || libraryId === viewer.default_library_id
    ? canReadMedia(sql, viewer, sql`listed.media_id`)
    : sql`true`;

/** What a list is sorted by, as the indexes have it. What is not known comes last in either direction. */
const KEYS: Record<`${MediaSort} ${SortOrder}`, (sql: Queryable) => ReturnType<Queryable>> = {
  'added asc': (sql) => sql`listed.created_at`,
  'added desc': (sql) => sql`listed.created_at`,
  'title asc': (sql) => sql`left(lower(media.title), 200)`,
  'title desc': (sql) => sql`left(lower(media.title), 200)`,
  'published asc': (sql) => sql`(coalesce(media.published, '~') collate "C")`,
  'published desc': (sql) => sql`(coalesce(media.published, '') collate "C")`,
  'length asc': (sql) => sql`coalesce(media.word_count, 2147483647)`,
  'length desc': (sql) => sql`coalesce(media.word_count, -1)`,
};

/**
 * Rights are asked row by row until the page is full: behind `offset 0`, PostgreSQL does not think of hashing all that the
 * viewer may read before the first row. With 200,000 media that is 10 ms in place of 170.
 */
export async function listMedia(
  sql: Queryable,
  viewer: Viewer,
  filter: MediaFilter,
  unfilled: string[],
  { sort, order }: { sort: MediaSort; order: SortOrder },
  last: ListPosition | null,
  limit: number,
): Promise<(ListedMedia & { position: ListPosition })[]> {
  const key = KEYS[`${sort} ${order}`](sql);
  const isMoment = sort === 'added';
  // The id comes from the table that the key comes from, so that one index has both.
  const id = isMoment ? sql`listed.media_id` : sql`media.id`;
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const lastKey = last && (isMoment ? moment(sql, Number(last.key)) : last.key);
  const beyond = order === 'asc' ? sql`>` : sql`<`;
  const rows = await sql<(MediaRow & { added_at: Date; position: ListPosition })[]>`
    select
      ${mediaColumns(sql, viewer)},
      listed.created_at as added_at,
      json_build_object('key', ${isMoment ? microseconds(sql, key) : key}, 'id', media.id) as position
    from (${listed(sql, viewer, filter.library_id, unfilled)}) as listed
    join media on media.id = listed.media_id
    ${readingOf(sql, viewer)}
    cross join lateral (select ${mayRead(sql, viewer, filter.library_id)} as may_read offset 0) as permission
    where permission.may_read
      and ${matches(sql, filter)}
      ${last === null ? sql`` : sql`and (${key}, ${id}) ${beyond} (${lastKey}, ${last.id})`}
    order by ${key} ${direction}, ${id} ${direction}
    limit ${limit}`;
  return rows.map(onTheWire);
}

/** How many there are under these filters; what no filter asks about is not looked at. */
export async function countMedia(
  sql: Queryable,
  viewer: Viewer,
  filter: MediaFilter,
  unfilled: string[],
): Promise<number> {
  const needsMedia = filter.kind ?? filter.status ?? filter.site;
  const [row] = await sql<[{ count: number }]>`
    select count(*)
    from (${listed(sql, viewer, filter.library_id, unfilled)}) as listed
    ${needsMedia === undefined ? sql`` : sql`join media on media.id = listed.media_id`}
    ${
      filter.reading === undefined
        ? sql``
        : sql`
            left join media_readings as reading
              on reading.user_id = ${viewer.user_id} and reading.media_id = listed.media_id`
    }
    where ${mayRead(sql, viewer, filter.library_id)} and ${matches(sql, filter)}`;
  return row.count;
}

/** The most frequent first. */
export async function listSites(
  sql: Queryable,
  viewer: Viewer,
  libraryId: string | undefined,
  unfilled: string[],
  limit: number,
): Promise<SiteList['data']> {
  return sql<SiteList['data']>`
    select media.site, count(*)
    from (${listed(sql, viewer, libraryId, unfilled)}) as listed
    join media on media.id = listed.media_id
    where media.site is not null and ${mayRead(sql, viewer, libraryId)}
    group by media.site
    order by count(*) desc, media.site
    limit ${limit}`;
}
