import { branchReplayPayload } from '../../contract/job-payloads.ts';
import type { Database } from '../../platform/database/database.ts';
import { type IntegrityCheck, inBatches } from '../../platform/integrity/check.ts';
import { defineJobType } from '../../platform/jobs/job-type.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import type { Requester } from '../identity/requester.ts';
import { BRANCH_NOT_FOUND } from './branches.ts';
import * as store from './store.ts';
import { describeDamage, verifyBranch } from './verify.ts';
import type { branchWork } from './work.ts';

const BRANCHES_AT_ONCE = 100;

/** Checks that the events of every branch lead from its base to its head, hash by hash. Repairs snapshots. */
export function createBranchCheck(sql: Database, run: RunByCost<typeof branchWork>): IntegrityCheck {
  return {
    name: 'branches',
    async run({ repair, signal, report, progress }) {
      let checked = 0;
      const next = (after: string | null, most: number) => store.nextBranches(sql, after, most);
      for await (const branches of inBatches(
        next,
        (branch: store.BranchRow) => branch.id,
        BRANCHES_AT_ONCE,
      )) {
        for (const branch of branches) {
          const onSnapshot = async (position: number, text: string) => {
            if (repair) await store.writeSnapshot(sql, branch.id, position, text);
          };
          const { damage } = await verifyBranch(sql, branch, { run, signal, onSnapshot });
          // It may have been deleted with its document in the meantime.
          const isThere = damage.length > 0 && (await store.exists(sql, branch.id));
          for (const { kind, ...finding } of isThere ? damage : []) await report(kind, [finding]);
          checked += 1;
        }
        await progress(checked);
      }
    },
  };
}

/** Replays a branch from its beginning, and fails with the difference when a hash does not match. */
export function defineBranchReplay(sql: Database, run: RunByCost<typeof branchWork>, requester: Requester) {
  return defineJobType('branch_replay', {
    payload: branchReplayPayload,
    submittedBy: 'operator',
    async handler({ branch_id }, { createdBy, signal, progress }) {
      const branch = await store.findBranch(sql, await requester(createdBy), branch_id);
      if (!branch) throw new PermanentError('E_BRANCH_NOT_FOUND', BRANCH_NOT_FOUND);
      const onProgress = (event_count: number) => progress({ event_count, total: branch.event_count });
      const options = { run, signal, onProgress };
      const { damage, text_hash, event_count } = await verifyBranch(sql, branch, options);
      if (damage.length > 0) {
        throw new PermanentError('E_BRANCH_DAMAGED', `The branch is damaged: ${describeDamage(damage)}.`);
      }
      const result = { branch_id, text_hash, event_count };
      return { result, artifacts: [{ artifact_type: 'branch_replay_result', artifact_payload: result }] };
    },
  });
}
