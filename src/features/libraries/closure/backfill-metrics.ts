import type { MetricSource } from '../../../platform/telemetry/metrics.ts';
import type { Backfill } from './backfill.ts';

export function measureBackfill(backfill: Pick<Backfill, 'health'>): MetricSource {
  return async () => {
    const { pending_count, pending_age_p95_seconds, degraded } = await backfill.health();
    return [
      {
        name: 'nexus_backfill_pending',
        help: 'Backfills that are not done.',
        value: pending_count,
        key: 'backfill.pending_count',
      },
      {
        name: 'nexus_backfill_pending_age_p95_seconds',
        help: 'The 95th percentile of how long they have been pending.',
        value: pending_age_p95_seconds,
        key: 'backfill.pending_age_p95_seconds',
      },
      {
        name: 'nexus_backfill_degraded',
        help: 'Whether a guardrail is exceeded.',
        value: Number(degraded),
        key: 'backfill.degraded',
      },
    ];
  };
}
