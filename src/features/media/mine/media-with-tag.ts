import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { isTagOrBelow } from '../../libraries/access/nested-tags.ts';

/**
 * Selects the `media_id` of all media with a tag of a person, or with one below it, possibly several times. The names are looked
 * up once for the statement; as a join, they would be for each media of a list.
 */
export const mediaWithTag = (sql: Queryable, userId: string, name: string): SqlFragment => sql`
  select media_tags.media_id
  from media_tags
  where media_tags.user_id = ${userId}
    and media_tags.tag_id = any(array(
      select tags.id from tags where tags.user_id = ${userId} and ${isTagOrBelow(sql, sql`tags.name`, name)}
    ))`;
