import { z } from 'zod';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import type { Periodic } from '../../../platform/jobs/periodic/periodic.ts';
import type { Ingest } from './ingest.ts';
import { retryIfFailed } from './lifecycle.ts';
import { listUnindexed } from './stranded-store.ts';

const QUEUED_AT_ONCE = 1000;
const EVERY_SECONDS = 600;

/** Queues readable media again whose indexing failed an hour ago or earlier. A cancelled one is left as it is. */
export function periodicMissedIndexing(sql: Database, ingest: Pick<Ingest, 'enqueueIndexing'>): Periodic {
  const type = defineJobType('missed_indexing', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal }) {
      let queued = 0;
      for (const mediaId of await listUnindexed(sql, QUEUED_AT_ONCE)) {
        signal.throwIfAborted();
        await transaction(sql, async (tx) => {
          if ((await retryIfFailed(tx, mediaId)) !== 'ready_for_reading') return;
          await ingest.enqueueIndexing(tx, mediaId, {});
          queued += 1;
        });
      }
      return { result: { queued } };
    },
  });
  return { type, everySeconds: EVERY_SECONDS };
}
