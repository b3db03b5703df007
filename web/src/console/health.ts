import { duration, plural } from './format.ts';
import type { BackfillHealth, JobFailure, OutboxHealth, QueueStats, Worker } from './types.ts';

export interface Check {
  name: string;
  state: 'ok' | 'warning' | 'error';
  message: string;
  /** The console page with details. */
  to: string;
  search?: Record<string, string>;
}

export interface HealthFigures {
  queues: QueueStats[];
  workers: Worker[];
  failures: JobFailure[];
  backfill: BackfillHealth;
  outbox: OutboxHealth;
}

/** Work that has been due for longer than this is a warning, or an error. */
const SLOW_SECONDS = 60;
const STUCK_SECONDS = 600;

const sum = <Row>(rows: readonly Row[], read: (row: Row) => number) =>
  rows.reduce((total, row) => total + read(row), 0);

export function checkAll({ queues, workers, failures, backfill, outbox }: HealthFigures): Check[] {
  return [
    checkWorkers(workers, queues),
    checkQueues(queues),
    checkFailures(failures),
    checkOutbox(outbox),
    checkWebhooks(outbox),
    checkBackfill(backfill),
  ];
}

function checkWorkers(workers: Worker[], queues: QueueStats[]): Check {
  const common = { name: 'Workers', to: 'workers' };
  const served = new Set(workers.flatMap((worker) => worker.queues));
  const unserved = queues.filter(({ queue, queued }) => queued > 0 && !served.has(queue));
  if (workers.length === 0) {
    return {
      ...common,
      state: 'error',
      message: 'No worker is running, so jobs stay queued. Start one with nexus worker.',
    };
  }
  if (unserved.length > 0) {
    const names = unserved.map(({ queue }) => queue).join(', ');
    return { ...common, state: 'error', message: `No worker serves ${names}, and jobs are waiting there.` };
  }
  const slots = sum(workers, ({ concurrency }) => concurrency);
  const busy = Math.min(
    slots,
    sum(queues, ({ running }) => running),
  );
  return {
    ...common,
    state: 'ok',
    message: `${plural(workers.length, 'worker')} running, ${busy} of ${plural(slots, 'slot')} busy.`,
  };
}

function checkQueues(queues: QueueStats[]): Check {
  const common = { name: 'Queues', to: 'jobs' };
  const waiting = sum(queues, ({ queued, retry_wait }) => queued + retry_wait);
  const running = sum(queues, (queue) => queue.running);
  const oldest = queues.toSorted((a, b) => b.oldest_due_seconds - a.oldest_due_seconds)[0];
  const outline = `${plural(waiting, 'job')} waiting, ${running} running.`;
  if (!oldest || oldest.oldest_due_seconds < SLOW_SECONDS)
    return { ...common, state: 'ok', message: outline };
  return {
    ...common,
    state: oldest.oldest_due_seconds < STUCK_SECONDS ? 'warning' : 'error',
    message: `${outline} The oldest in ${oldest.queue} has been due for ${duration(oldest.oldest_due_seconds * 1000)}.`,
    search: { queue: oldest.queue, status: 'queued' },
  };
}

function checkFailures(failures: JobFailure[]): Check {
  const common = { name: 'Failures', to: 'jobs', search: { view: 'failures' } };
  const failed = sum(failures, ({ failed_count }) => failed_count);
  const retrying = sum(failures, ({ retrying_count }) => retrying_count);
  const [most] = failures;
  if (!most) return { ...common, state: 'ok', message: 'No job has failed in the last 24 hours.' };
  const mostly = `mostly ${most.job_type}${most.error_code ? ` with ${most.error_code}` : ''}`;
  if (failed === 0) return { ...common, state: 'ok', message: `${plural(retrying, 'job')} will be retried.` };
  return {
    ...common,
    state: 'warning',
    message: `${plural(failed, 'job')} failed in the last 24 hours, ${mostly}.`,
  };
}

function checkOutbox(outbox: OutboxHealth): Check {
  const common = { name: 'Outbox', to: 'outbox' };
  if (outbox.oldest_due_seconds > SLOW_SECONDS) {
    return {
      ...common,
      state: outbox.oldest_due_seconds < STUCK_SECONDS ? 'warning' : 'error',
      message: `An event has waited for ${duration(outbox.oldest_due_seconds * 1000)} to be delivered.`,
      search: { status: 'pending' },
    };
  }
  if (outbox.failed_count > 0) {
    return {
      ...common,
      state: 'warning',
      message: `${plural(outbox.failed_count, 'event')} could not be delivered.`,
      search: { status: 'failed' },
    };
  }
  if (outbox.pending_count === 0) return { ...common, state: 'ok', message: 'All events are delivered.' };
  return { ...common, state: 'ok', message: `${plural(outbox.pending_count, 'event')} pending.` };
}

function checkWebhooks(outbox: OutboxHealth): Check {
  const common = { name: 'Webhooks', to: 'webhooks' };
  const { failing_webhooks: failing, disabled_webhooks: disabled } = outbox;
  const wrong = [
    ...(failing > 0 ? [plural(failing, 'webhook is failing', 'webhooks are failing')] : []),
    ...(disabled > 0 ? [`${plural(disabled, 'is', 'are')} disabled`] : []),
  ];
  if (wrong.length > 0) return { ...common, state: 'warning', message: `${wrong.join(', ')}.` };
  return {
    ...common,
    state: 'ok',
    message: `No webhook is failing, ${plural(outbox.pending_webhook_deliveries, 'delivery', 'deliveries')} pending.`,
  };
}

function checkBackfill({ pending_count, pending_age_p95_seconds, degraded }: BackfillHealth): Check {
  const common = { name: 'Backfill', to: 'backfill' };
  const age = `p95 waiting time ${duration(pending_age_p95_seconds * 1000)}`;
  if (degraded)
    return {
      ...common,
      state: 'error',
      message: `Degraded: ${plural(pending_count, 'backfill')} pending, ${age}.`,
    };
  return {
    ...common,
    state: 'ok',
    message:
      pending_count === 0
        ? 'All backfills are complete.'
        : `${plural(pending_count, 'backfill')} pending, ${age}.`,
  };
}
