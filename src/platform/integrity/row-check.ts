import type { Database, Queryable } from '../database/database.ts';
import { identifier, type SqlFragment } from '../database/statement.ts';
import type { IntegrityCheck } from './check.ts';
import { scan } from './scan.ts';
import { withLongTimeout } from './statement-timeout.ts';

/** A condition that no row of a table may meet. */
export interface RowRule {
  /** The kind of its findings. */
  kind: string;
  table: string;
  /** The column that identifies a row, and whose index is scanned. */
  key: 'id' | 'job_id';
  /** The condition of a wrong row, which is called `scanned`. */
  isWrong(sql: Queryable): SqlFragment;
  /** The statement that repairs the given rows; left out where a person has to decide. */
  repair?(sql: Queryable, rows: SqlFragment): SqlFragment;
}

/** Checks tables row by row. */
export function createRowCheck(sql: Database, name: string, rules: RowRule[]): IntegrityCheck {
  return {
    name,
    async run({ repair, signal, reportRows, progress }) {
      let checked = 0;
      for (const rule of rules) {
        await scan(
          sql,
          { table: rule.table, key: [rule.key] },
          signal,
          async (queryable, range) => {
            const wrong = (tx: Queryable) => tx`${range} and ${rule.isWrong(tx)}`;
            const count = await reportRows(
              queryable`
                select distinct ${rule.kind}::text as kind, scanned.${identifier(rule.key)} as id
                from ${identifier(rule.table)} as scanned
                where ${wrong(queryable)}`,
              queryable,
            );
            if (count > 0 && repair) await withLongTimeout(sql, async (tx) => rule.repair?.(tx, wrong(tx)));
          },
          (rows) => {
            checked += rows;
            return progress(checked);
          },
        );
      }
    },
  };
}
