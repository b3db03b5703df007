import { invalidField } from '../../../contract/invalid-request.ts';
import { MAX_TAG } from '../../../contract/limits.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';

/** Whether a column holds the name of a tag, or of one below it. Upper and lower case are the same. */
export const isTagOrBelow = (sql: Queryable, column: SqlFragment, name: string): SqlFragment =>
  sql`(lower(${column}) = lower(${name}) or starts_with(lower(${column}), lower(${name}) || '/'))`;

/** Returns the new name of a tag when the tag `from`, which is the same or above it, is renamed to `to`. */
export function renameNested(name: string, from: string, to: string): string {
  const renamed = to + name.slice(from.length);
  if (renamed.length <= MAX_TAG) return renamed;
  const message = `is too long: the tag ${renamed} below it would have more than ${MAX_TAG} characters`;
  throw invalidField('name', message, 'too_large');
}
