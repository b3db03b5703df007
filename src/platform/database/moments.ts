import type { Queryable } from './database.ts';
import type { SqlFragment } from './statement.ts';

/** A timestamp as microseconds since 1970: the full precision of PostgreSQL, which a Date does not have. */
export const microseconds = (sql: Queryable, moment: SqlFragment) =>
  sql`(extract(epoch from ${moment}) * 1000000)::int8`;

/** The timestamp of a number of microseconds since 1970. */
export const moment = (sql: Queryable, microseconds: number) =>
  sql`timestamptz 'epoch' + ${microseconds}::float8 * interval '1 microsecond'`;
