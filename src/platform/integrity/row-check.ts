import type { Database, Queryable } from '../database/database.ts';
import { identifier, type SqlFragment } from '../database/statement.ts';
import type { IntegrityCheck } from './check.ts';
import { scan } from './scan.ts';
import { withLongTimeout } from './statement-timeout.ts';

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
