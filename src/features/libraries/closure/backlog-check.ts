import { z } from 'zod';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import type { Periodic } from '../../../platform/jobs/periodic/periodic.ts';
import type { Backfill } from './backfill.ts';

/** Logs a warning every minute while the backlog of backfills is beyond its guardrails. */
export function periodicBacklogCheck(backfill: Pick<Backfill, 'health'>): Periodic {
  const type = defineJobType('library_backfill_backlog', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { log }) {
      const backlog = await backfill.health();
      if (backlog.degraded) log.warn(backlog, 'the backlog of backfills is beyond its guardrails');
      return { result: { ...backlog } };
    },
  });
  return { type, everySeconds: 60 };
}
