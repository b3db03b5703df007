import type { LibraryTag } from '../../contract/libraries.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { libraryTagsColumn } from './access/library-tags.ts';

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
  const added = await tx`
    insert into library_media_tags (library_id, media_id, name)
    select ${libraryId}, ${mediaId}, coalesce(
      (
        select known.name
        from library_media_tags as known
        where known.library_id = ${libraryId} and lower(known.name) = lower(given)
        limit 1
      ),
      given
    )
    from unnest(${names}::text[]) as given
    on conflict do nothing`;
  return removed.count + added.count > 0;
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

export interface LibraryTagCursor {
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
