import type { Queryable } from './database.ts';
import type { SqlFragment } from './statement.ts';

/** A moment as a whole number of microseconds: all that the database knows of it, and more than a Date can hold. */
export const microseconds = (sql: Queryable, moment: SqlFragment) =>
  sql`(extract(epoch from ${moment}) * 1000000)::int8`;

/** And back. */
export const moment = (sql: Queryable, microseconds: number) =>
  sql`timestamptz 'epoch' + ${microseconds}::float8 * interval '1 microsecond'`;
