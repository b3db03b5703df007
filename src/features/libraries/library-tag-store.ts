import type { LibraryTag } from '../../contract/libraries.ts';
import { MOST_TAGS_OF_MEDIA } from '../../contract/limits.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { libraryTagsColumn } from './access/media-with-library-tag.ts';
import { isTagOrBelow } from './access/nested-tags.ts';

export async function findLibraryTags(sql: Queryable, libraryId: string, mediaId: string): Promise<string[]> {
  const [row] = await sql<[{ tags: string[] }]>`select ${libraryTagsColumn(sql, libraryId, mediaId)} as tags`;
  return row.tags;
}

/**
 * Replaces the tags of a media in a library that the caller has locked. A tag that the library has already keeps its
 * spelling. Returns whether anything changed.
 */
export async function setLibraryTags(
  tx: Transaction,
  libraryId: string,
  mediaId: string,
  names: string[],
): Promise<boolean> {
  const removed = await tx`
    delete from library_media_tags
    where library_id = ${libraryId}
      and media_id = ${mediaId}
      and lower(name) <> all(select lower(given) from unnest(${names}::text[]) as given)`;
  const given = names.map((name) => ({ media_id: mediaId, name }));
  const added = await insertTags(tx, libraryId, given);
  return removed.count + added.length > 0;
}

/** Adds tags to media. A tag that the library has already keeps its spelling. Returns the ids of media that got one. */
async function insertTags(
  tx: Transaction,
  libraryId: string,
  given: readonly { media_id: string; name: string }[],
): Promise<string[]> {
  const rows = await tx<{ media_id: string }[]>`
    with added as (
      insert into library_media_tags (library_id, media_id, name)
      select ${libraryId}, given.media_id, coalesce(
        (
          select known.name
          from library_media_tags as known
          where known.library_id = ${libraryId} and lower(known.name) = lower(given.name)
          limit 1
        ),
        given.name
      )
      from unnest(
        ${given.map(({ media_id }) => media_id)}::uuid[],
        ${given.map(({ name }) => name)}::text[]
      ) as given (media_id, name)
      on conflict do nothing
      returning media_id
    )
    select distinct media_id from added`;
  return rows.map(({ media_id }) => media_id);
}

/**
 * Gives media tags in a library that the caller has locked, except those that would have too many. Returns the ids of media that
 * did not have all of them.
 */
export async function addLibraryTags(
  tx: Transaction,
  libraryId: string,
  { mediaIds, names }: { mediaIds: string[]; names: string[] },
): Promise<string[]> {
  const withRoom = await tx<{ media_id: string }[]>`
    select given.media_id
    from unnest(${mediaIds}::uuid[]) as given (media_id)
    where ${MOST_TAGS_OF_MEDIA} >= (
      select count(*)
      from (
        select lower(tag.name)
        from library_media_tags as tag
        where tag.library_id = ${libraryId} and tag.media_id = given.media_id
        union
        select lower(name) from unnest(${names}::text[]) as added (name)
      ) as after
    )`;
  const given = withRoom.flatMap(({ media_id }) => names.map((name) => ({ media_id, name })));
  return insertTags(tx, libraryId, given);
}

/** Takes tags from media, or from all media of the library. Returns the ids of media that had one of them. */
export async function removeLibraryTags(
  tx: Transaction,
  libraryId: string,
  { mediaIds, names }: { mediaIds?: string[]; names: string[] },
): Promise<string[]> {
  const rows = await tx<{ media_id: string }[]>`
    with removed as (
      delete from library_media_tags
      where library_id = ${libraryId}
        and lower(name) = any(select lower(given) from unnest(${names}::text[]) as given)
        ${mediaIds === undefined ? tx`` : tx`and media_id = any(${mediaIds}::uuid[])`}
      returning media_id
    )
    select distinct media_id from removed`;
  return rows.map(({ media_id }) => media_id);
}

/** Lists the names of a tag and of those below it, the shortest first. */
export async function listFamily(sql: Queryable, libraryId: string, name: string) {
  return sql<{ name: string; is_itself: boolean }[]>`
    select min(tag.name) as name, lower(tag.name) = lower(${name}) as is_itself
    from library_media_tags as tag
    where tag.library_id = ${libraryId} and ${isTagOrBelow(sql, sql`tag.name`, name)}
    group by lower(tag.name)
    order by length(min(tag.name))`;
}

/**
 * Renames a tag of a library that the caller has locked. If the library has another tag with the new name, the two are merged, in
 * the spelling of the other. Returns the ids of media that had the old name.
 *
 * Each row is updated once, rather than deleted and inserted: otherwise PostgreSQL checks the foreign key, which locks the
 * media, and media are locked before libraries.
 */
export async function renameLibraryTag(
  tx: Transaction,
  libraryId: string,
  { from, to }: { from: string; to: string },
): Promise<string[]> {
  const isOther = (name: SqlFragment) =>
    tx`(lower(${name}) = lower(${to}) and lower(${name}) <> lower(${from}))`;
  const merged = await tx<{ media_id: string }[]>`
    delete from library_media_tags as tag
    using library_media_tags as other
    where tag.library_id = ${libraryId}
      and lower(tag.name) = lower(${from})
      and other.library_id = ${libraryId}
      and other.media_id = tag.media_id
      and ${isOther(tx`other.name`)}
    returning tag.media_id`;
  const renamed = await tx<{ media_id: string }[]>`
    update library_media_tags
    set name = coalesce(
      (
        select other.name
        from library_media_tags as other
        where other.library_id = ${libraryId} and ${isOther(tx`other.name`)}
        limit 1
      ),
      ${to}
    )
    where library_id = ${libraryId} and lower(name) = lower(${from})
    returning media_id`;
  return [...merged, ...renamed].map(({ media_id }) => media_id);
}

/** Deletes the tags of a media in one library, or in all. */
export async function deleteLibraryTags(tx: Transaction, mediaId: string, libraryId?: string): Promise<void> {
  await tx`
    delete from library_media_tags
    where media_id = ${mediaId} ${libraryId === undefined ? tx`` : tx`and library_id = ${libraryId}`}`;
}

/** Copies the tags of a media in all libraries to the one that replaces it. */
export async function copyLibraryTags(tx: Transaction, fromId: string, toId: string): Promise<void> {
  await tx`
    insert into library_media_tags (library_id, media_id, name)
    select library_id, ${toId}, name
    from library_media_tags
    where media_id = ${fromId}
    order by library_id, lower(name)
    on conflict do nothing`;
}

export async function findLibraryTag(sql: Queryable, libraryId: string, name: string) {
  const [tag] = await sql<LibraryTag[]>`
    select min(name) as name, count(*) as media_count
    from library_media_tags
    where library_id = ${libraryId} and lower(name) = lower(${name})
    group by lower(name)`;
  return tag;
}

interface LibraryTagCursor {
  name: string;
}

/** Lists the tags that media of a library have, by name. */
export async function listLibraryTags(
  sql: Queryable,
  libraryId: string,
  { prefix, last, limit }: { prefix?: string | undefined; last: LibraryTagCursor | null; limit: number },
) {
  return sql<(LibraryTag & { cursor: LibraryTagCursor })[]>`
    select min(name) as name, count(*) as media_count, json_build_object('name', lower(name)) as cursor
    from library_media_tags
    where library_id = ${libraryId}
      ${last === null ? sql`` : sql`and lower(name) collate "C" > ${last.name}`}
      ${prefix === undefined ? sql`` : sql`and strpos('/' || lower(name), '/' || lower(${prefix})) > 0`}
    group by lower(name)
    order by lower(name) collate "C"
    limit ${limit}`;
}
