import type { Library, LibraryMedia } from '../../../contract/libraries.ts';
import type { Media, MediaSort, SortOrder } from '../../../contract/media.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { microseconds, moment } from '../../../platform/database/moments.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { canReadMedia, isSavedBy, type Viewer } from '../../libraries/access/can-read-media.ts';
import { libraryTagsColumn, mediaWithLibraryTag } from '../../libraries/access/media-with-library-tag.ts';
import { joinMine } from '../mine/mine-store.ts';
import type { Asker } from '../search/query/compile.ts';
import { addedAt, joinOwn, type MediaRow, mediaColumns, toMedia } from './media-row.ts';
import { isAmongOwn } from './own-conditions.ts';
import { candidateIds, type ListScope, type MediaFilter, matchesFacts } from './selection-store.ts';

/** The end of a page: the key and id of its last row. Times are microseconds. */
interface ListCursor {
  key: string | number;
  id: string;
}

type ListedScope = Pick<ListScope, 'libraryId' | 'unfilled'>;

/** Selects the rows of one library, if the viewer is a member; or of their default library and unfilled libraries. */
const listed = (sql: Queryable, viewer: Viewer, { libraryId, unfilled = [] }: ListedScope) => {
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
    select library_media.media_id, min(greatest(library_media.created_at, joined.created_at))
    from library_media
    join memberships as joined
      on joined.library_id = library_media.library_id and joined.user_id = ${viewer.user_id}
    where library_media.library_id = any(${unfilled}::uuid[])
      and not exists (
        select
        from library_media as own
        where own.library_id = ${viewer.default_library_id} and own.media_id = library_media.media_id
      )
    group by library_media.media_id`;
};

/** The sort keys, as the indexes have them. Unknown values come last in both directions. */
const KEYS: Record<`${MediaSort} ${SortOrder}`, (sql: Queryable) => SqlFragment> = {
  'added asc': (sql) => sql`listed.created_at`,
  'added desc': (sql) => sql`listed.created_at`,
  'title asc': (sql) => sql`left(lower(media.title), 200)`,
  'title desc': (sql) => sql`left(lower(media.title), 200)`,
  'published asc': (sql) => sql`(coalesce(media.published, '~') collate "C")`,
  'published desc': (sql) => sql`(coalesce(media.published, '') collate "C")`,
  'length asc': (sql) => sql`coalesce(media.word_count, 2147483647)`,
  'length desc': (sql) => sql`coalesce(media.word_count, -1)`,
  'read asc': (sql) => sql`reading.updated_at`,
  'read desc': (sql) => sql`reading.updated_at`,
};

/** A page of a list. */
interface ListRequest {
  scope: ListScope;
  filter: MediaFilter;
  sort: MediaSort;
  order: SortOrder;
  last: ListCursor | null;
  limit: number;
}

/** `cursor` is the sort key, for the cursor of the page. */
type Listed = Media & { cursor: ListCursor['key'] };

/** Returns the order of a page, and the condition for rows after the last one. */
function orderOf(sql: Queryable, { sort, order, last }: Pick<ListRequest, 'sort' | 'order' | 'last'>) {
  const key = KEYS[`${sort} ${order}`](sql);
  const isMoment = sort === 'added' || sort === 'read';
  // The id is taken from the same table as the key, so that one index has both.
  const id =
    sort === 'added' ? sql`listed.media_id` : sort === 'read' ? sql`reading.media_id` : sql`media.id`;
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const lastKey = last && (isMoment ? moment(sql, Number(last.key)) : last.key);
  const beyond = order === 'asc' ? sql`>` : sql`<`;
  return {
    isBeyond: last === null ? sql`true` : sql`(${key}, ${id}) ${beyond} (${lastKey}, ${last.id})`,
    by: sql`${key} ${direction}, ${id} ${direction}`,
    cursor: isMoment ? microseconds(sql, key) : key,
  };
}

/**
 * Walks along the order of the list until the page is full: for filters that match much. `offset 0` makes PostgreSQL
 * check access row by row, instead of hashing everything that the viewer may read before the first row. With 200,000
 * media that takes 10 ms instead of 170.
 */
export async function walkMedia(
  sql: Queryable,
  viewer: Viewer,
  { scope, filter, ...page }: ListRequest,
): Promise<Listed[]> {
  const { isBeyond, by, cursor } = orderOf(sql, page);
  const mayRead = scope.libraryId === undefined ? canReadMedia(sql, viewer, sql`listed.media_id`) : sql`true`;
  const isOwn = isAmongOwn(sql, viewer, filter, sql`listed.media_id`);
  const isAsked = filter.asked?.isMatch ?? sql`true`;
  const rows = await sql<(MediaRow & Listed)[]>`
    select ${mediaColumns(sql, viewer)}, listed.created_at as added_at, ${cursor} as cursor
    from (${listed(sql, viewer, scope)}) as listed
    join media on media.id = listed.media_id
    join lateral (select ${isOwn} and ${mayRead} and ${isAsked} as is_listed offset 0) as checked on checked.is_listed
    ${joinOwn(sql, viewer)}
    where ${matchesFacts(sql, filter)} and ${isBeyond}
    order by ${by}
    limit ${page.limit}`;
  return rows.map(toMedia);
}

/** Collects and sorts everything that matches: for filters that match little. Only the page is read in full. */
export async function gatherMedia(
  sql: Queryable,
  viewer: Viewer,
  { scope, filter, ...page }: ListRequest,
): Promise<Listed[]> {
  const { unfilled = [] } = scope;
  const { isBeyond, by, cursor } = orderOf(sql, page);
  const addedTo = (libraryId: string) => sql`
    select created_at from library_media where library_id = ${libraryId} and media_id = matching.media_id`;
  // A media that a backfill has not added yet is dated by when it came through its library. `offset 0` makes PostgreSQL
  // look up the media, instead of walking along the dates until it meets it.
  const added =
    unfilled.length === 0
      ? addedTo(scope.libraryId ?? viewer.default_library_id)
      : sql`
          select coalesce(
            (${addedTo(viewer.default_library_id)}),
            (
              select min(came_at)
              from (
                select greatest(library_media.created_at, joined.created_at) as came_at
                from memberships as joined
                join library_media
                  on library_media.library_id = joined.library_id and library_media.media_id = matching.media_id
                where joined.library_id = any(${unfilled}::uuid[]) and joined.user_id = ${viewer.user_id}
                offset 0
              ) as source
            )
          )`;
  const rows = await sql<(MediaRow & Listed)[]>`
    with matching as materialized (${candidateIds(sql, viewer, scope, filter)}),
    listed as materialized (
      select listed.media_id, listed.created_at
      from matching
      join lateral (
        select matching.media_id, (${added}) as created_at offset 0
      ) as listed on listed.created_at is not null
      ${page.sort === 'added' ? sql`` : sql`join media on media.id = listed.media_id`}
      where ${isAmongOwn(sql, viewer, filter, sql`listed.media_id`)} and ${isBeyond}
      order by ${by}
      limit ${page.limit}
    )
    select ${mediaColumns(sql, viewer)}, listed.created_at as added_at, ${cursor} as cursor
    from listed
    join media on media.id = listed.media_id
    ${joinOwn(sql, viewer)}
    order by ${by}`;
  return rows.map(toMedia);
}

/** Somebody who asks a query in a library, or in everything that they may read. Dates are those that the list shows. */
export const askerOf = (sql: Queryable, viewer: Viewer, libraryId: string | undefined): Asker => ({
  viewer,
  libraryId,
  addedAt:
    libraryId === undefined
      ? addedAt(sql, viewer)
      : sql`(select created_at from library_media where library_id = ${libraryId} and media_id = media.id)`,
});

/** Returns those of the media that the viewer may read and that match, in the order of their ids. */
export async function listMatchingAmong(
  sql: Queryable,
  viewer: Viewer,
  isMatch: SqlFragment,
  mediaIds: string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select media.id
    from media
    where media.id = any(${mediaIds}::uuid[]) and ${canReadMedia(sql, viewer, sql`media.id`)} and ${isMatch}
    order by media.id`;
  return rows.map(({ id }) => id);
}

/** Walks along the viewer's own reading progress, by when they last read: for `sort=read`, which lists nothing else. */
export async function walkReadings(
  sql: Queryable,
  viewer: Viewer,
  { scope: { libraryId }, filter, ...page }: ListRequest,
): Promise<Listed[]> {
  const { isBeyond, by, cursor } = orderOf(sql, page);
  const listedIn = sql`
    select created_at
    from (${listed(sql, viewer, { libraryId })}) as listed
    where listed.media_id = media.id`;
  const added = libraryId === undefined ? addedAt(sql, viewer) : sql`(${listedIn})`;
  const isThere =
    libraryId === undefined ? canReadMedia(sql, viewer, sql`reading.media_id`) : sql`exists (${listedIn})`;
  const isOwn = isAmongOwn(sql, viewer, filter, sql`reading.media_id`);
  const isAsked = filter.asked?.isMatch ?? sql`true`;
  const rows = await sql<(MediaRow & Listed)[]>`
    select ${mediaColumns(sql, viewer)}, ${added} as added_at, ${cursor} as cursor
    from media_readings as reading
    join media on media.id = reading.media_id
    join lateral (select ${isOwn} and ${isThere} and ${isAsked} as is_there offset 0) as source on source.is_there
    ${joinMine(sql, viewer)}
    where reading.user_id = ${viewer.user_id} and ${matchesFacts(sql, filter)} and ${isBeyond}
    order by ${by}
    limit ${page.limit}`;
  return rows.map(toMedia);
}

/** Returns what a shared library says about its media, by their ids: who added them, and their tags in it. */
export async function findListings(sql: Queryable, libraryId: string, media: Pick<Media, 'id'>[]) {
  const rows = await sql<(Pick<LibraryMedia, 'added_by_user_id' | 'library_tags'> & { media_id: string })[]>`
    select
      listed.media_id, listed.added_by_user_id,
      ${libraryTagsColumn(sql, libraryId, sql`listed.media_id`)} as library_tags
    from library_media as listed
    where listed.library_id = ${libraryId} and listed.media_id = any(${media.map(({ id }) => id)}::uuid[])`;
  return new Map(rows.map(({ media_id, ...listing }) => [media_id, listing]));
}

interface LibraryCursor {
  added_us: number;
  media_id: string;
}

/**
 * Lists a library, newest first. In a default library, access is checked row by row behind `offset 0`: otherwise
 * PostgreSQL collects everything that the viewer may read before it returns the first row.
 */
export async function listLibraryMedia(
  sql: Queryable,
  viewer: Viewer,
  library: Pick<Library, 'id' | 'is_default'>,
  { last, limit, tag }: { last: LibraryCursor | null; limit: number; tag?: string | undefined },
) {
  const mayRead = library.is_default ? canReadMedia(sql, viewer, sql`listed.media_id`) : sql`true`;
  // A default library names only its owner; the list of the shared library says who added a media there.
  const addedBy = library.is_default
    ? sql`case when ${isSavedBy(sql, viewer, sql`media.id`)} then ${viewer.user_id}::uuid end`
    : sql`listed.added_by_user_id`;
  const rows = await sql<
    (MediaRow &
      Pick<LibraryMedia, 'added_at' | 'added_by_user_id' | 'library_tags'> & { cursor: LibraryCursor })[]
  >`
    select
      ${mediaColumns(sql, viewer)},
      listed.created_at as added_at, ${addedBy} as added_by_user_id,
      ${libraryTagsColumn(sql, library.id, sql`media.id`)} as library_tags,
      json_build_object('added_us', ${microseconds(sql, sql`listed.created_at`)}, 'media_id', media.id) as cursor
    from library_media as listed
    join media on media.id = listed.media_id
    join lateral (select ${mayRead} as may_read offset 0) as permission on permission.may_read
    ${joinOwn(sql, viewer)}
    where listed.library_id = ${library.id}
      ${tag === undefined ? sql`` : sql`and listed.media_id in (${mediaWithLibraryTag(sql, library.id, tag)})`}
      ${last === null ? sql`` : sql`and (listed.created_at, listed.media_id) < (${moment(sql, last.added_us)}, ${last.media_id})`}
    order by listed.created_at desc, listed.media_id desc
    limit ${limit}`;
  return rows.map(toMedia);
}
