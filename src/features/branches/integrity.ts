import type { Database } from '../../platform/database/database.ts';
import { type IntegrityCheck, inBatches } from '../../platform/integrity/check.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import { type BranchRow, exists, nextBranches, writeSnapshot } from './store.ts';
import { verifyBranch } from './verify.ts';
import type { branchWork } from './work.ts';

const BRANCHES_AT_ONCE = 100;

/**
 * Checks that the events of every branch lead from its base to its head, hash by hash. Snapshots are derived and can be
 * repaired.
 */
export function createBranchCheck(sql: Database, run: RunByCost<typeof branchWork>): IntegrityCheck {
  return {
    name: 'branches',
    async run({ repair, signal, report, progress }) {
      let checked = 0;
      const next = (after: string | null, most: number) => nextBranches(sql, after, most);
      for await (const branches of inBatches(next, ({ id }: BranchRow) => id, BRANCHES_AT_ONCE)) {
        for (const branch of branches) {
          const onSnapshot = async (position: number, text: string) => {
            if (repair) await writeSnapshot(sql, branch.id, position, text);
          };
          const { damage } = await verifyBranch(sql, branch, { run, signal, onSnapshot });
          // It may have been deleted with its document in the meantime.
          const isThere = damage.length > 0 && (await exists(sql, branch.id));
          for (const { kind, ...finding } of isThere ? damage : []) await report(kind, [finding]);
          checked += 1;
        }
        await progress(checked);
      }
    },
  };
}
