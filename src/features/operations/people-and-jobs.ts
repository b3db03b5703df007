import type { Database } from '../../platform/database/database.ts';
import { type IntegrityCheck, inBatches } from '../../platform/integrity/check.ts';
import * as store from './people-and-jobs-store.ts';

/** People have a default library of their own, and jobs are whole: nothing is left of one, and none is nowhere. */
export function createPeopleAndJobsCheck(sql: Database): IntegrityCheck {
  return {
    name: 'people and jobs',
    async run({ repair, signal, reportRows }) {
      for (const flaw of store.FLAWS) {
        signal.throwIfAborted();
        const next = (after: string | null) => store.nextRange(sql, flaw, after);
        for await (const ranges of inBatches(next, ({ last }) => last)) {
          signal.throwIfAborted();
          for (const range of ranges) {
            const count = await reportRows(store.findings(sql, flaw, range));
            if (count > 0 && repair) await store.mend(sql, flaw, range);
          }
        }
      }
    },
  };
}
