import type { Database, Queryable } from '../database/database.ts';
import { identifier, type SqlFragment } from '../database/statement.ts';
import { BatchSize, withLongTimeout } from './statement-timeout.ts';

/** The maximum number of rows that one statement processes. */
const MAX_ROWS_PER_STATEMENT = 5000;

/** A table, and the index in whose order it is scanned. */
export interface Scan {
  table: string;
  /** The columns of the index. */
  key: string[];
}

export interface ScanOptions extends Scan {
  signal: AbortSignal;
  /** Called after each part with the number of rows that it had when it was chosen. */
  onPart?: (rows: number) => Promise<void>;
}

/** A part of a table, as a condition on its columns. Its alias for the table is `scanned`. */
export type Range = SqlFragment;

/** Processes one part. After a timeout it is called again for a smaller part, so all but its last statement may repeat. */
export type ProcessPart = (sql: Queryable, range: Range) => Promise<unknown>;

/** Scans a table in parts, one statement per part. After a statement timeout, the next part has half as many rows. */
export async function scan(
  sql: Database,
  { table, key, signal, onPart }: ScanOptions,
  processPart: ProcessPart,
): Promise<void> {
  const size = new BatchSize(MAX_ROWS_PER_STATEMENT);
  let after: unknown[] | undefined;
  for (;;) {
    signal.throwIfAborted();
    try {
      const part = await nextPart(sql, { table, key, after, size: size.current });
      if (!part) return;
      const range = between(sql, key, after, part.last);
      // A part of one row cannot be made smaller.
      await (size.current === 1
        ? withLongTimeout(sql, (tx) => processPart(tx, range))
        : processPart(sql, range));
      after = part.last;
      await onPart?.(part.rows);
      size.succeeded();
    } catch (error) {
      size.failed(error);
    }
  }
}

async function nextPart(
  sql: Database,
  { table, key, after, size }: Scan & { after: unknown[] | undefined; size: number },
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
): SqlFragment {
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

function list(sql: Queryable, items: Range[]): Range {
  return items.reduce((all, item) => sql`${all}, ${item}`);
}
