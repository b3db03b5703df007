import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../platform/jobs/job-type.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import { deleteIdleBuckets } from '../../platform/rate-limit/bucket.ts';
import { deleteExpired } from './session-store.ts';

/** Deletes expired sessions and sign-in links, and rate-limit buckets that are full again. */
export function periodicSessionCleanup(sql: Database): Periodic {
  const type = defineJobType('session_cleanup', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler() {
      return { result: { deleted: (await deleteExpired(sql)) + (await deleteIdleBuckets(sql)) } };
    },
  });
  return { type, everySeconds: 3600 };
}
