import { z } from 'zod';
import { id } from '../../contract/wire.ts';
import type { Database } from '../../platform/database/database.ts';
import { defineJobType } from '../../platform/jobs/job-type.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import type { Requester } from '../identity/requester.ts';
import { findBranch } from './store.ts';
import { describeDamage, verifyBranch } from './verify.ts';
import type { branchWork } from './work.ts';

export interface BranchReplayDependencies {
  sql: Database;
  run: RunByCost<typeof branchWork>;
  /** Returns the current rights of the person who submitted the job. */
  requester: Requester;
}

/** Replays a branch from its beginning, and fails with the difference when a hash does not match. */
export function defineBranchReplay({ sql, run, requester }: BranchReplayDependencies) {
  return defineJobType('branch_replay', {
    payload: z.strictObject({ branch_id: id }),
    submittedBy: 'operator',
    async handler({ branch_id }, { createdBy, signal, progress }) {
      const branch = await findBranch(sql, await requester(createdBy), branch_id);
      if (!branch) {
        throw new PermanentError(
          'E_BRANCH_NOT_FOUND',
          'This branch does not exist, or you do not have access to it.',
        );
      }
      const { event_count: total } = branch;
      const onProgress = (event_count: number) => progress({ event_count, total });
      const { damage, text_hash, event_count } = await verifyBranch(sql, branch, {
        run,
        signal,
        onProgress,
      });
      if (damage.length > 0) {
        throw new PermanentError('E_BRANCH_DAMAGED', `The branch is damaged: ${describeDamage(damage)}.`);
      }
      const result = { branch_id, text_hash, event_count };
      return { result, artifacts: [{ artifact_type: 'branch_replay_result', artifact_payload: result }] };
    },
  });
}
