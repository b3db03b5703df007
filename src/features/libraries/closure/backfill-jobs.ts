import { z } from 'zod';
import { backfillKey } from '../../../contract/libraries.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import type { JobQueue } from '../../../platform/jobs/queue.ts';
import type { Backfill, SendBackfill } from './backfill.ts';
import { noteDispatch } from './backfill-store.ts';

const BACKFILL_JOB = 'backfill_default_library_closure_job';

/** Retries belong to the durable row, so the job itself has one attempt (see `createSendBackfill`). */
export function defineBackfillJob(backfill: Backfill) {
  return defineJobType(BACKFILL_JOB, {
    queue: 'ingest',
    payload: backfillKey,
    handler: (key, context) => backfill.run(key, context),
  });
}

/** Every so often, what nothing else would bring to an end. */
export function periodicBackfillSweep(backfill: Backfill) {
  const type = defineJobType('library_backfill_sweep', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    handler: async (_payload, { signal }) => ({ result: await backfill.sweep(signal) }),
  });
  return { type, everySeconds: 30 };
}

/**
 * Enqueues backfills. The row notes which job it waits for, in the transaction that enqueues it, so that the sweep knows
 * what is on its way.
 */
export function createSendBackfill(
  sql: Database,
  { types, enqueue }: Pick<JobQueue, 'types' | 'enqueue'>,
): SendBackfill {
  return async (key, { requestId, delaySeconds }) => {
    const type = types.get(BACKFILL_JOB);
    if (!type) throw new Error(`The job type ${BACKFILL_JOB} is not registered.`);
    await transaction(sql, async (tx) => {
      const { id } = await enqueue(tx, { type, payload: key, maxAttempts: 1, delaySeconds, requestId });
      await noteDispatch(tx, key, id);
    });
  };
}
