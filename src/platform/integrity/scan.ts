import type { Database, Queryable } from '../database/database.ts';
import { identifier, type Statement } from '../database/statement.ts';
import { BatchSize, withLongTimeout } from './statement-timeout.ts';

/** Rows that one statement looks at, at most. */
const ROWS_AT_ONCE = 5000;

/** A table that is gone through in the order of an index. */
export interface Scan {
  table: string;
  /** The columns of the index. */
  key: string[];
}

/** A part of a table, as a condition on its columns under the name `scanned`. */
export type Range = Statement<object[]>;

/** Looks at one part. What it does before its last statement may be done again, for a smaller part. */
export type Look = (sql: Queryable, range: Range) => Promise<unknown>;

/**
 * Goes through a table, so many rows in a statement that none takes long: when PostgreSQL ends one for taking too long, the
 * next looks at half as many. Calls back after each part with the number of rows it may have held.
 */
export async function scan(
  sql: Database,
  { table, key }: Scan,
  signal: AbortSignal,
  look: Look,
  onPart: (rows: number) => Promise<void> = async () => {},
): Promise<void> {
  const size = new BatchSize(ROWS_AT_ONCE);
  let after: unknown[] | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const part = await nextPart(sql, { table, key }, after, size.current);
      if (!part) return;
      const range = between(sql, key, after, part.last);
      // A single row cannot be made smaller.
      await (size.current === 1 ? withLongTimeout(sql, (tx) => look(tx, range)) : look(sql, range));
      after = part.last;
      await onPart(part.rows);
      size.succeeded();
    } catch (error) {
      size.failed(error);
    }
  }
}

async function nextPart(
  sql: Database,
  { table, key }: Scan,
  after: unknown[] | undefined,
  size: number,
): Promise<{ last: unknown[]; rows: number } | undefined> {
  const columns = list(
    sql,
    key.map((column) => sql`scanned.${identifier(column)}`),
  );
  const [row] = await sql<(Record<string, unknown> & { rows: number })[]>`
    select last.*
    from (
      select ${columns}, row_number() over (order by ${columns})::int as rows
      from ${identifier(table)} as scanned
      where ${between(sql, key, after, undefined)}
      order by ${columns}
      limit ${size}
    ) as last
    order by rows desc
    limit 1`;
  return row && { last: key.map((column) => row[column]), rows: row.rows };
}

function between(
  sql: Queryable,
  key: string[],
  after: unknown[] | undefined,
  last: unknown[] | undefined,
): Range {
  const columns = list(
    sql,
    key.map((column) => sql`scanned.${identifier(column)}`),
  );
  const values = (given: unknown[]) =>
    list(
      sql,
      given.map((value) => sql`${value as string}`),
    );
  return sql`
    ${after ? sql`(${columns}) > (${values(after)})` : sql`true`}
    and ${last ? sql`(${columns}) <= (${values(last)})` : sql`true`}`;
}

function list(sql: Queryable, pieces: Range[]): Range {
  return pieces.reduce((all, piece) => sql`${all}, ${piece}`);
}
