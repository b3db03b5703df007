import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../platform/jobs/job-type.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import { deleteOldRuns } from './run-store.ts';

/** Runs can be looked at and undone for this long after their end. */
const KEPT_DAYS = 90;
const DELETED_AT_ONCE = 10;

export function periodicRunRetention(sql: Database): Periodic {
  return {
    type: defineJobType('rule_run_retention', {
      queue: MAINTENANCE_QUEUE,
      payload: z.strictObject({}),
      async handler(_payload, { signal }) {
        let total = 0;
        for (;;) {
          signal.throwIfAborted();
          const deleted = await deleteOldRuns(sql, KEPT_DAYS, DELETED_AT_ONCE);
          total += deleted;
          if (deleted < DELETED_AT_ONCE) return { result: { deleted: total } };
        }
      },
    }),
    everySeconds: 86_400,
  };
}
