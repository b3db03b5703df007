import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../platform/jobs/job-type.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import { deleteOldNotifications } from './notification-store.ts';
import { deleteOldRuns } from './run-store.ts';

/** Runs can be looked at and undone for this long after their end. Notifications are kept as long. */
const KEPT_DAYS = 90;
/** Few, because each has an item for every media. */
const RUNS_AT_ONCE = 10;
const NOTIFICATIONS_AT_ONCE = 1000;

export function periodicRunRetention(sql: Database): Periodic {
  return {
    type: defineJobType('rule_run_retention', {
      queue: MAINTENANCE_QUEUE,
      payload: z.strictObject({}),
      async handler(_payload, { signal }) {
        const deleteAll = async (deleteSome: typeof deleteOldRuns, atOnce: number) => {
          for (let total = 0; ; ) {
            signal.throwIfAborted();
            const deleted = await deleteSome(sql, KEPT_DAYS, atOnce);
            total += deleted;
            if (deleted < atOnce) return total;
          }
        };
        const deleted = await deleteAll(deleteOldRuns, RUNS_AT_ONCE);
        const notifications = await deleteAll(deleteOldNotifications, NOTIFICATIONS_AT_ONCE);
        return { result: { deleted, notifications } };
      },
    }),
    everySeconds: 86_400,
  };
}
