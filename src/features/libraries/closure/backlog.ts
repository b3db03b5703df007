import { z } from 'zod';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import type { Periodic } from '../../../platform/jobs/periodic/periodic.ts';
import type { MetricSource } from '../../../platform/telemetry/metrics.ts';
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

/** The name in Prometheus and the description of each figure of the health. */
const GAUGES = {
  pending_count: ['nexus_backfill_pending', 'Backfills that are not done.'],
  pending_age_p95_seconds: [
    'nexus_backfill_pending_age_p95_seconds',
    'The 95th percentile of how long they have been pending.',
  ],
  degraded: ['nexus_backfill_degraded', 'Whether a guardrail is exceeded.'],
} as const;

export function measureBackfill(backfill: Pick<Backfill, 'health'>): MetricSource {
  return async () => {
    const health = await backfill.health();
    return (Object.keys(GAUGES) as (keyof typeof GAUGES)[]).map((field) => {
      const [name, help] = GAUGES[field];
      return { name, help, value: Number(health[field]), key: `backfill.${field}` };
    });
  };
}
