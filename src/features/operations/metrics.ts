import type { MetricSource } from '../../platform/telemetry/metrics.ts';
import type { Jobs } from './jobs.ts';
import type { OutboxOperations } from './outbox.ts';

export function measureJobs(jobs: Pick<Jobs, 'stats' | 'workerCount'>): MetricSource {
  return async () => {
    const [queues, workers] = await Promise.all([jobs.stats(), jobs.workerCount()]);
    const alive = { name: 'nexus_workers', help: 'Workers that are alive.', value: workers };
    const backlogs = queues.flatMap(({ queue, oldest_due_seconds, ...counts }) => [
      ...Object.entries(counts).map(([status, value]) => ({
        name: 'nexus_jobs',
        help: 'Jobs that are not over, by queue and status.',
        labels: { queue, status },
        value,
      })),
      {
        name: 'nexus_jobs_oldest_due_seconds',
        help: 'How long the oldest job has been due.',
        labels: { queue },
        value: oldest_due_seconds,
      },
    ]);
    return [alive, ...backlogs];
  };
}

/** The name in Prometheus and the description of each figure of the outbox's health. */
const OUTBOX_GAUGES = {
  pending_count: ['nexus_outbox_pending', 'Events that are not delivered.'],
  due_count: ['nexus_outbox_due', 'Events that are due and not being delivered yet.'],
  retrying_count: ['nexus_outbox_retrying', 'Events that wait for another attempt.'],
  failed_count: ['nexus_outbox_failed', 'Events whose attempts are used up.'],
  oldest_pending_seconds: [
    'nexus_outbox_oldest_pending_seconds',
    'The age of the oldest event that is not delivered.',
  ],
  oldest_due_seconds: ['nexus_outbox_oldest_due_seconds', 'How long the oldest event has been due.'],
  pending_webhook_deliveries: [
    'nexus_webhook_deliveries_pending',
    'Deliveries to webhooks that are not done.',
  ],
  failing_webhooks: ['nexus_webhooks_failing', 'Webhooks that answer with nothing but failures.'],
  disabled_webhooks: ['nexus_webhooks_disabled', 'Webhooks that are disabled.'],
} as const;

export function measureOutbox(outbox: Pick<OutboxOperations, 'health'>): MetricSource {
  return async () => {
    const health = await outbox.health();
    return (Object.keys(OUTBOX_GAUGES) as (keyof typeof OUTBOX_GAUGES)[]).map((field) => {
      const [name, help] = OUTBOX_GAUGES[field];
      return { name, help, value: health[field], key: `outbox.${field}` };
    });
  };
}
