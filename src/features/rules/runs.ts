import { NexusError } from '../../contract/errors.ts';
import type { RuleRun, RuleRunsQuery } from '../../contract/rules.ts';
import type { ListQuery } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { JobType } from '../../platform/jobs/job-type.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { enqueue } from '../../platform/jobs/submit/enqueue.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { ruleNotFound } from './rules.ts';
import * as store from './run-store.ts';
import { lockRule } from './store.ts';

type RunJob = JobType<{ run_id: string }>;

interface RunsDependencies {
  sql: Database;
  queue: Pick<JobQueue, 'control'>;
  runType: RunJob;
  undoType: RunJob;
}

export type RuleRuns = ReturnType<typeof createRuleRuns>;

/** Runs of rules over what is there already, and undoing them. */
export function createRuleRuns({ sql, queue, runType, undoType }: RunsDependencies) {
  async function requireRun(viewer: Viewer, id: string): Promise<RuleRun> {
    return (await store.findRun(sql, viewer.user_id, id)) ?? runNotFound();
  }

  const enqueueFor = (
    tx: Transaction,
    viewer: Viewer,
    runId: string,
    { type, actor }: { type: RunJob; actor: Actor },
  ) =>
    enqueue(tx, {
      type,
      payload: { run_id: runId },
      createdBy: { name: actor.name, userId: viewer.user_id },
      requestId: actor.requestId,
    });

  return {
    get: requireRun,

    /** Lists runs, newest first. */
    async list(viewer: Viewer, { rule_id: ruleId, cursor, limit }: RuleRunsQuery) {
      const page = { ruleId, last: readCursor(cursor), limit: limit + 1 };
      return cutPage(await store.listRuns(sql, viewer.user_id, page), limit);
    },

    /** Queues a run of a rule as it is now. */
    async start(viewer: Viewer, ruleId: string, isDryRun: boolean, actor: Actor): Promise<RuleRun> {
      const id = newId();
      const start = async (tx: Transaction) => {
        const rule = (await lockRule(tx, viewer.user_id, ruleId)) ?? ruleNotFound();
        if (await store.isRunning(tx, ruleId)) {
          throw new NexusError(
            'E_INVALID_STATE',
            'This rule is running already. Wait for its end, or cancel it.',
          );
        }
        const { id: jobId } = await enqueueFor(tx, viewer, id, { type: runType, actor });
        await store.insertRun(tx, viewer.user_id, { id, rule, isDryRun, jobId });
      };
      await transaction(sql, start, actor);
      return requireRun(viewer, id);
    },

    /** Lists what a run changed of the media that the viewer may read now. */
    async items(viewer: Viewer, id: string, { cursor, limit }: ListQuery) {
      await requireRun(viewer, id);
      const last = readCursor(cursor);
      return cutPage(await store.listItems(sql, viewer, id, { last, limit: limit + 1 }), limit);
    },

    /** Cancels a run. What it did stays, and can be undone. A run that is over does not change. */
    async cancel(viewer: Viewer, id: string, actor: Actor): Promise<RuleRun> {
      const { job_id } = await requireRun(viewer, id);
      await queue.control.cancel(job_id, actor);
      return requireRun(viewer, id);
    },

    /** Queues the undoing of a run. Undoing it again changes nothing; after a failure, it continues. */
    async undo(viewer: Viewer, id: string, actor: Actor): Promise<RuleRun> {
      const undo = async (tx: Transaction) => {
        const run = (await store.lockRun(tx, viewer.user_id, id)) ?? runNotFound();
        if (run.is_dry_run) throw new NexusError('E_INVALID_STATE', 'A dry run has changed nothing.');
        if (run.finished_at === null) {
          throw new NexusError(
            'E_INVALID_STATE',
            'The run is not over. Cancel it first, or wait for its end.',
          );
        }
        if (run.undo_status !== null && !['failed', 'cancelled'].includes(run.undo_status)) return;
        const { id: jobId } = await enqueueFor(tx, viewer, id, { type: undoType, actor });
        await store.setUndo(tx, id, jobId);
      };
      await transaction(sql, undo, actor);
      return requireRun(viewer, id);
    },
  };
}

function runNotFound(): never {
  throw new NexusError('E_NOT_FOUND', 'You have no such run of a rule.');
}
