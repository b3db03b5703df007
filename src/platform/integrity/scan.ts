import type { Database, Queryable } from '../database/database.ts';
import { identifier, type SqlFragment } from '../database/statement.ts';
import type { IntegrityCheck } from './check.ts';
import { BatchSize, withLongTimeout } from './statement-timeout.ts';

/** The maximum number of rows that one statement processes. */
const MAX_ROWS_PER_STATEMENT = 5000;

/** A table, and the index in whose order it is scanned. */
export interface Scan {
  table: string;
  /** The columns of the index. */
  key: string[];
}

interface ScanOptions extends Scan {
  signal: AbortSignal;
  /** Called after each part with the number of rows that it had when it was chosen. */
  onPart?: (rows: number) => Promise<void>;
}

/** A part of a table, as a condition on its columns. Its alias for the table is `scanned`. */
export type Range = SqlFragment;

/**
 * Scans a table in parts, one statement per part. After a statement timeout, the next part has half as many rows, and
 * `processPart` is called again: all but its last statement may repeat.
 */
export async function scan(
  sql: Database,
  { table, key, signal, onPart }: ScanOptions,
  processPart: (sql: Queryable, range: Range) => Promise<unknown>,
): Promise<void> {
  const size = new BatchSize(MAX_ROWS_PER_STATEMENT);
  const columns = list(sql, key, (column) => sql`scanned.${identifier(column)}`);
  const values = (given: unknown[]) => list(sql, given, (value) => sql`${value}`);
  let begin = sql`true`;
  for (;;) {
    signal.throwIfAborted();
    try {
      const [part] = await sql<(Record<string, unknown> & { rows: number })[]>`
        select last.*
        from (
          select ${columns}, row_number() over (order by ${columns})::int as rows
          from ${identifier(table)} as scanned
          where ${begin}
          order by ${columns}
          limit ${size.current}
        ) as last
        order by rows desc
        limit 1`;
      if (!part) return;
      const last = values(key.map((column) => part[column]));
      const range = sql`${begin} and (${columns}) <= (${last})`;
      // A part of one row cannot be made smaller.
      await (size.current === 1
        ? withLongTimeout(sql, (tx) => processPart(tx, range))
        : processPart(sql, range));
      begin = sql`(${columns}) > (${last})`;
      await onPart?.(part.rows);
      size.succeeded();
    } catch (error) {
      size.failed(error);
    }
  }
}

function list<T>(sql: Queryable, items: T[], write: (item: T) => SqlFragment): SqlFragment {
  return items.map(write).reduce((all, item) => sql`${all}, ${item}`);
}

/** A condition that no row of a table may match. */
export interface RowRule {
  /** The kind of its findings. */
  kind: string;
  table: string;
  /** The indexed column that identifies a row; the table is scanned in its order. */
  key: 'id' | 'job_id';
  /** The condition that wrong rows match. Its alias for the table is `scanned`. */
  isWrong(sql: Queryable): SqlFragment;
  /** The statement that repairs the matching rows; undefined when a person has to decide. */
  repair?(sql: Queryable, rows: SqlFragment): SqlFragment;
}

/** Creates a check that applies rules to the rows of tables. */
export function createRowCheck(sql: Database, name: string, rules: RowRule[]): IntegrityCheck {
  return {
    name,
    async run({ repair, signal, reportRows, progress }) {
      let checked = 0;
      for (const rule of rules) {
        const onPart = (rows: number) => {
          checked += rows;
          return progress(checked);
        };
        await scan(sql, { table: rule.table, key: [rule.key], signal, onPart }, async (queryable, range) => {
          const wrong = (tx: Queryable) => tx`${range} and ${rule.isWrong(tx)}`;
          const count = await reportRows(
            queryable`
                select distinct ${rule.kind}::text as kind, scanned.${identifier(rule.key)} as id
                from ${identifier(rule.table)} as scanned
                where ${wrong(queryable)}`,
            queryable,
          );
          if (count > 0 && repair) await withLongTimeout(sql, async (tx) => rule.repair?.(tx, wrong(tx)));
        });
      }
    },
  };
}
