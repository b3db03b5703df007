import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { isTagOrBelow } from './nested-tags.ts';

/** The tags that a shared library gives the media of a statement. */
export const libraryTagsColumn = (sql: Queryable, libraryId: string, mediaId: SqlFragment | string) => sql`
  array(
    select tag.name
    from library_media_tags as tag
    where tag.library_id = ${libraryId} and tag.media_id = ${mediaId}
    order by lower(tag.name)
  )`;

/** Selects the media that have a tag of the library, or one below it. */
export const mediaWithLibraryTag = (sql: Queryable, libraryId: string, name: string) => sql`
  select tag.media_id
  from library_media_tags as tag
  where tag.library_id = ${libraryId}
    and ${isTagOrBelow(sql, sql`tag.name`, name)}`;
