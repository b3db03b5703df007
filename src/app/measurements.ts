import type { EventStreams } from '../features/events/streams.ts';
import type { Backfill } from '../features/libraries/closure/backfill.ts';
import type { Jobs } from '../features/operations/jobs.ts';
import type { OutboxOperations } from '../features/operations/outbox.ts';
import type { Database } from '../platform/database/database.ts';
import type { Measured, Prometheus } from '../platform/telemetry/prometheus.ts';

interface Sources {
  jobs: Pick<Jobs, 'stats'>;
  outbox: Pick<OutboxOperations, 'health'>;
  backfill: Pick<Backfill, 'health'>;
  eventStreams: Pick<EventStreams, 'count'>;
}

/** How the installation stands; the same whichever of its processes is asked, but for the pool. */
export function measureInstallation(
  prometheus: Prometheus,
  sql: Database,
  { jobs, outbox, backfill, eventStreams }: Sources,
): void {
  prometheus.measure(async () => {
    const { queues } = await jobs.stats();
    return queues.flatMap(({ queue, oldest_due_seconds, ...counts }) => [
      ...Object.entries(counts).map(([status, value]) => ({
        name: 'nexus_jobs',
        help: 'Jobs that are not over, by queue and status.',
        labels: { queue, status },
        value,
      })),
      {
        name: 'nexus_jobs_oldest_due_seconds',
        help: 'For how long the oldest job has been due.',
        labels: { queue },
        value: oldest_due_seconds,
      },
    ]);
  });

  prometheus.measure(async () => {
    const health = await outbox.health();
    return [
      one('nexus_outbox_pending', 'Events that are not delivered.', health.pending_count),
      one('nexus_outbox_failed', 'Events whose attempts are used up.', health.failed_count),
      one(
        'nexus_outbox_oldest_pending_seconds',
        'The age of the oldest event that is not delivered.',
        health.oldest_pending_seconds,
      ),
      one(
        'nexus_webhook_deliveries_pending',
        'Deliveries to webhooks that are not done.',
        health.pending_webhook_deliveries,
      ),
      one(
        'nexus_webhooks_failing',
        'Webhooks that answer with nothing but failures.',
        health.failing_webhooks,
      ),
    ];
  });

  prometheus.measure(async () => {
    const health = await backfill.health();
    return [
      one('nexus_backfill_pending', 'Backfills that are not done.', health.pending_count),
      one(
        'nexus_backfill_pending_age_p95_seconds',
        'For how long 95 of 100 of them have waited at most.',
        health.pending_age_p95_seconds,
      ),
      one('nexus_backfill_degraded', 'Whether a guardrail is crossed.', Number(health.degraded)),
    ];
  });

  prometheus.measure(() => [
    ...Object.entries(sql.usage()).map(([state, value]) => ({
      name: 'nexus_database_connections',
      help: 'Connections of the pool of this process, and who waits for one.',
      labels: { state },
      value,
    })),
    one('nexus_event_streams_open', 'Streams of events that this process serves.', eventStreams.count()),
  ]);
}

function one(name: string, help: string, value: number): Measured[number] {
  return { name, help, value };
}
