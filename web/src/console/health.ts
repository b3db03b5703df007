import { duration, plural } from './format.ts';
import type { BackfillHealth, JobFailure, OutboxHealth, QueueStats, Worker } from './types.ts';

export interface Check {
  name: string;
  state: 'well' | 'attention' | 'bad';
  /** What is known, in a sentence. */
  says: string;
  /** Where to look closer. */
  to: string;
  search?: Record<string, string>;
}

export interface Measured {
  queues: QueueStats[];
  workers: Worker[];
  failures: JobFailure[];
  backfill: BackfillHealth;
  outbox: OutboxHealth;
}

/** A job that is due and not begun for longer than this has been forgotten by somebody. */
const SLOW_SECONDS = 60;
const STUCK_SECONDS = 600;

const sum = <Row>(rows: readonly Row[], read: (row: Row) => number) =>
  rows.reduce((total, row) => total + read(row), 0);

export function checkAll({ queues, workers, failures, backfill, outbox }: Measured): Check[] {
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
      state: 'bad',
      says: 'Nobody works: what is queued stays where it is. Start nexus worker.',
    };
  }
  if (unserved.length > 0) {
    const names = unserved.map(({ queue }) => queue).join(', ');
    return { ...common, state: 'bad', says: `Nobody serves ${names}, and work waits there.` };
  }
  const slots = sum(workers, ({ concurrency }) => concurrency);
  const busy = Math.min(
    slots,
    sum(queues, ({ running }) => running),
  );
  return {
    ...common,
    state: 'well',
    says: `${plural(workers.length, 'worker')} alive, ${busy} of ${plural(slots, 'slot')} busy.`,
  };
}

function checkQueues(queues: QueueStats[]): Check {
  const common = { name: 'Queues', to: 'jobs' };
  const waiting = sum(queues, ({ queued, retry_wait }) => queued + retry_wait);
  const running = sum(queues, (queue) => queue.running);
  const oldest = queues.toSorted((a, b) => b.oldest_due_seconds - a.oldest_due_seconds)[0];
  const outline = `${plural(waiting, 'job')} waiting, ${running} running.`;
  if (!oldest || oldest.oldest_due_seconds < SLOW_SECONDS) return { ...common, state: 'well', says: outline };
  return {
    ...common,
    state: oldest.oldest_due_seconds < STUCK_SECONDS ? 'attention' : 'bad',
    says: `${outline} The oldest in ${oldest.queue} has been due for ${duration(oldest.oldest_due_seconds * 1000)}.`,
    search: { queue: oldest.queue, status: 'queued' },
  };
}

function checkFailures(failures: JobFailure[]): Check {
  const common = { name: 'Failures', to: 'jobs', search: { view: 'failures' } };
  const failed = sum(failures, ({ failed_count }) => failed_count);
  const retrying = sum(failures, ({ retrying_count }) => retrying_count);
  const [most] = failures;
  if (!most) return { ...common, state: 'well', says: 'No job has failed in the last 24 hours.' };
  const mostly = `mostly ${most.job_type}${most.error_code ? ` with ${most.error_code}` : ''}`;
  if (failed === 0)
    return { ...common, state: 'well', says: `${plural(retrying, 'job')} will be tried again.` };
  return {
    ...common,
    state: 'attention',
    says: `${plural(failed, 'job')} failed in the last 24 hours, ${mostly}.`,
  };
}

function checkOutbox(outbox: OutboxHealth): Check {
  const common = { name: 'Outbox', to: 'outbox' };
  if (outbox.oldest_due_seconds > SLOW_SECONDS) {
    return {
      ...common,
      state: outbox.oldest_due_seconds < STUCK_SECONDS ? 'attention' : 'bad',
      says: `An event has waited for ${duration(outbox.oldest_due_seconds * 1000)} to be delivered.`,
      search: { status: 'pending' },
    };
  }
  if (outbox.failed_count > 0) {
    return {
      ...common,
      state: 'attention',
      says: `${plural(outbox.failed_count, 'event')} could not be delivered.`,
      search: { status: 'failed' },
    };
  }
  if (outbox.pending_count === 0) return { ...common, state: 'well', says: 'Everything has been delivered.' };
  return { ...common, state: 'well', says: `${plural(outbox.pending_count, 'event')} on the way.` };
}

function checkWebhooks(outbox: OutboxHealth): Check {
  const common = { name: 'Webhooks', to: 'webhooks' };
  const { failing_webhooks: failing, disabled_webhooks: disabled } = outbox;
  const wrong = [
    ...(failing > 0 ? [`${plural(failing, 'endpoint fails', 'endpoints fail')}`] : []),
    ...(disabled > 0 ? [`${plural(disabled, 'is', 'are')} disabled`] : []),
  ];
  if (wrong.length > 0) return { ...common, state: 'attention', says: `${wrong.join(', ')}.` };
  return {
    ...common,
    state: 'well',
    says: `No endpoint fails, ${plural(outbox.pending_webhook_deliveries, 'delivery', 'deliveries')} on the way.`,
  };
}

function checkBackfill({ pending_count, pending_age_p95_seconds, degraded }: BackfillHealth): Check {
  const common = { name: 'Backfill', to: 'backfill' };
  const age = `95 % have waited up to ${duration(pending_age_p95_seconds * 1000)}`;
  if (degraded)
    return { ...common, state: 'bad', says: `Degraded: ${plural(pending_count, 'row')} pending, ${age}.` };
  return {
    ...common,
    state: 'well',
    says:
      pending_count === 0
        ? 'Every new member has what they joined for.'
        : `${plural(pending_count, 'row')} pending, ${age}.`,
  };
}
