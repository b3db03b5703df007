import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../jobs/job-type.ts';
import type { Periodic } from '../jobs/periodic.ts';
import type { Dispatcher } from './dispatcher.ts';
import { deleteOldEvents } from './store.ts';

const nothing = z.strictObject({});

/** Delivers what no hint told of. */
export function periodicOutboxSweep(dispatcher: Pick<Dispatcher, 'deliverDue'>, minutes: number): Periodic {
  const type = defineJobType('outbox_sweep', {
    queue: MAINTENANCE_QUEUE,
    payload: nothing,
    handler: async (_payload, { signal }) => ({ result: { delivered: await dispatcher.deliverDue(signal) } }),
  });
  return { type, everySeconds: minutes * 60 };
}

const CLEANUP_EVERY_SECONDS = 3600;

/** Deletes events that have been delivered, or have failed, for so long. */
export function periodicOutboxCleanup(sql: Database, retentionHours: number): Periodic {
  const type = defineJobType('outbox_cleanup', {
    queue: MAINTENANCE_QUEUE,
    payload: nothing,
    async handler(_payload, { signal, progress }) {
      let deleted = 0;
      for await (const count of deleteOldEvents(sql, retentionHours)) {
        signal.throwIfAborted();
        deleted += count;
        await progress({ deleted });
      }
      return { result: { deleted } };
    },
  });
  return { type, everySeconds: CLEANUP_EVERY_SECONDS };
}
