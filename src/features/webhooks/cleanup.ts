import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../platform/jobs/job-type.ts';
import type { Periodic } from '../../platform/jobs/periodic.ts';
import { deleteOldDeliveries } from './delivery-store.ts';

/** Deletes deliveries that have been over for so long, with their log. */
export function periodicWebhookCleanup(sql: Database, retentionHours: number): Periodic {
  const type = defineJobType('webhook_cleanup', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      let deleted = 0;
      for await (const count of deleteOldDeliveries(sql, retentionHours)) {
        signal.throwIfAborted();
        deleted += count;
        await progress({ deleted });
      }
      return { result: { deleted } };
    },
  });
  return { type, everySeconds: 3600 };
}
