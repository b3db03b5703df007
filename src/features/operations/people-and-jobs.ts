import type { Database } from '../../platform/database/database.ts';
import type { IntegrityCheck } from '../../platform/integrity/check.ts';
import { scan } from '../../platform/integrity/scan.ts';
import { patiently } from '../../platform/integrity/statement-timeout.ts';
import * as store from './people-and-jobs-store.ts';

/** People have a default library of their own, and jobs are whole: nothing is left of one, and none is nowhere. */
export function createPeopleAndJobsCheck(sql: Database): IntegrityCheck {
  return {
    name: 'people and jobs',
    async run({ repair, signal, reportRows, progress }) {
      let checked = 0;
      for (const flaw of store.FLAWS) {
        await scan(
          sql,
          { table: flaw.table, key: [flaw.key] },
          signal,
          async (queryable, range) => {
            const count = await reportRows(store.findings(queryable, flaw, range), queryable);
            if (count > 0 && repair) await patiently(sql, (tx) => store.mend(tx, flaw, range));
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
