import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';

/** Whether a column holds the name of a tag, or of one below it. Upper and lower case are the same. */
export const isTagOrBelow = (sql: Queryable, column: SqlFragment, name: string): SqlFragment =>
  sql`(lower(${column}) = lower(${name}) or starts_with(lower(${column}), lower(${name}) || '/'))`;
