import type { FailureCode } from '../../../src/contract/errors.ts';
import { plural } from '../ui/numbers.ts';
import { duration } from './format.ts';
import type { BackfillHealth, JobFailure, OutboxHealth, QueueStats, Worker } from './types.ts';

interface Finding {
  state: 'ok' | 'warning' | 'error';
  message: string;
  search?: Record<string, string>;
}

export interface Check extends Finding {
  name: string;
  /** The console page with details. */
  to: string;
}

interface HealthFigures {
  queues: QueueStats[];
  workers: Worker[];
  failures: JobFailure[];
  backfill: BackfillHealth;
  outbox: OutboxHealth;
}

/** Work that has been due for longer than this is a warning, or an error. */
const SLOW_SECONDS = 60;
const STUCK_SECONDS = 600;

const ok = (message: string): Finding => ({ state: 'ok', message });
const warning = (message: string): Finding => ({ state: 'warning', message });
const error = (message: string): Finding => ({ state: 'error', message });
const late = (seconds: number) => (seconds < STUCK_SECONDS ? 'warning' : 'error');

const sum = <Row>(rows: readonly Row[], read: (row: Row) => number) =>
  rows.reduce((total, row) => total + read(row), 0);

export function checkAll({ queues, workers, failures, backfill, outbox }: HealthFigures): Check[] {
  return [
    { name: 'Workers', to: 'workers', ...checkWorkers(workers, queues) },
    { name: 'Queues', to: 'jobs', ...checkQueues(queues) },
    { name: 'Failures', to: 'jobs', search: { view: 'failures' }, ...checkFailures(failures) },
    { name: 'Outbox', to: 'outbox', ...checkOutbox(outbox) },
    { name: 'Webhooks', to: 'webhooks', ...checkWebhooks(outbox) },
    { name: 'Backfill', to: 'backfill', ...checkBackfill(backfill) },
  ];
}

function checkWorkers(workers: Worker[], queues: QueueStats[]): Finding {
  const served = new Set(workers.flatMap((worker) => worker.queues));
  const unserved = queues.filter(({ queue, queued }) => queued > 0 && !served.has(queue));
  if (workers.length === 0) {
    return error('No worker is running, so jobs stay queued. Start one with nexus worker.');
  }
  if (unserved.length > 0) {
    const names = unserved.map(({ queue }) => queue).join(', ');
    return error(`No worker serves ${names}, and jobs are waiting there.`);
  }
  const slots = sum(workers, ({ concurrency }) => concurrency);
  const running = sum(queues, (queue) => queue.running);
  const busy = Math.min(slots, running);
  return ok(`${plural(workers.length, 'worker')} running, ${busy} of ${plural(slots, 'slot')} busy.`);
}

function checkQueues(queues: QueueStats[]): Finding {
  const waiting = sum(queues, ({ queued, retry_wait }) => queued + retry_wait);
  const running = sum(queues, (queue) => queue.running);
  const oldest = queues.toSorted((a, b) => b.oldest_due_seconds - a.oldest_due_seconds)[0];
  const outline = `${plural(waiting, 'job')} waiting, ${running} running.`;
  if (!oldest || oldest.oldest_due_seconds < SLOW_SECONDS) return ok(outline);
  return {
    state: late(oldest.oldest_due_seconds),
    message: `${outline} The oldest in ${oldest.queue} has been due for ${duration(oldest.oldest_due_seconds * 1000)}.`,
    search: { queue: oldest.queue, status: 'queued' },
  };
}

/**
 * Failures of links that people saved: the page is gone, the site refuses, or the file cannot be read. The person sees
 * them, and an operator can do nothing about them.
 */
const BAD_LINKS: ReadonlySet<string | null> = new Set([
  'E_ACCESS_DENIED',
  'E_ARCHIVE_UNSAFE',
  'E_EPUB_INVALID',
  'E_HTTP_ERROR',
  'E_INVALID_RESPONSE',
  'E_LOGIN_REQUIRED',
  'E_NO_READABLE_CONTENT',
  'E_PAGE_GONE',
  'E_PAGE_NOT_FOUND',
  'E_PDF_INVALID',
  'E_PDF_PASSWORD_REQUIRED',
  'E_RESPONSE_TOO_LARGE',
  'E_SITE_BUSY',
  'E_SITE_ERROR',
  'E_SSRF_BLOCKED',
  'E_TLS_FAILED',
  'E_TOO_MANY_REDIRECTS',
  'E_TRANSCRIPT_UNAVAILABLE',
  'E_UNSUPPORTED_CONTENT',
  'E_VIDEO_UNAVAILABLE',
] satisfies FailureCode[]);

/** Sites that could not be reached: a few are dead links, many may be the network of this server. */
const UNREACHABLE: ReadonlySet<string | null> = new Set([
  'E_CONNECT_FAILED',
  'E_CONNECTION_LOST',
  'E_DNS_FAILED',
  'E_TIMEOUT',
] satisfies FailureCode[]);
const MANY_UNREACHABLE = 20;

export function checkFailures(all: JobFailure[]): Finding {
  const ofLinks = (codes: ReadonlySet<string | null>) => (failure: JobFailure) =>
    failure.job_type === 'ingest_media' && codes.has(failure.error_code);
  const [isRefused, isUnreachable] = [ofLinks(BAD_LINKS), ofLinks(UNREACHABLE)];
  const isBadLink = (failure: JobFailure) => isRefused(failure) || isUnreachable(failure);
  const failures = all.filter((failure) => !isBadLink(failure));
  const badLinks = sum(all.filter(isBadLink), ({ failed_count }) => failed_count);
  const unreachable = sum(all.filter(isUnreachable), ({ failed_count }) => failed_count);
  const failed = sum(failures, ({ failed_count }) => failed_count);
  const retrying = sum(failures, ({ retrying_count }) => retrying_count);
  const [most] = failures;
  if (failed === 0 && unreachable >= MANY_UNREACHABLE)
    return warning(
      `The sites of ${plural(unreachable, 'saved link')} could not be reached. Check the network of this server.`,
    );
  if (!most || failed === 0) {
    const parts = [
      ...(retrying > 0 ? [`${plural(retrying, 'job')} will be retried.`] : []),
      ...(badLinks > 0 ? [`${plural(badLinks, 'saved link')} could not be read.`] : []),
    ];
    return ok(parts.length > 0 ? parts.join(' ') : 'No job has failed in the last 24 hours.');
  }
  const cause = `${most.job_type}${most.error_code ? ` with ${most.error_code}` : ''}`;
  return warning(`${plural(failed, 'job')} failed in the last 24 hours, mostly ${cause}.`);
}

function checkOutbox(outbox: OutboxHealth): Finding {
  const { oldest_due_seconds, failed_count, pending_count } = outbox;
  if (oldest_due_seconds > SLOW_SECONDS) {
    return {
      state: late(oldest_due_seconds),
      message: `An event has waited for ${duration(oldest_due_seconds * 1000)} to be delivered.`,
      search: { status: 'pending' },
    };
  }
  if (failed_count > 0)
    return {
      ...warning(`${plural(failed_count, 'event')} could not be delivered.`),
      search: { status: 'failed' },
    };
  return ok(pending_count === 0 ? 'All events are delivered.' : `${plural(pending_count, 'event')} pending.`);
}

function checkWebhooks(outbox: OutboxHealth): Finding {
  const { failing_webhooks: failing, disabled_webhooks: disabled, pending_webhook_deliveries } = outbox;
  const wrong = [
    ...(failing > 0 ? [plural(failing, 'webhook is failing', 'webhooks are failing')] : []),
    ...(disabled > 0 ? [`${plural(disabled, 'is', 'are')} disabled`] : []),
  ];
  if (wrong.length > 0) return warning(`${wrong.join(', ')}.`);
  return ok(
    `No webhook is failing, ${plural(pending_webhook_deliveries, 'delivery', 'deliveries')} pending.`,
  );
}

function checkBackfill({ pending_count, pending_age_p95_seconds, degraded }: BackfillHealth): Finding {
  const pending = `${plural(pending_count, 'backfill')} pending, p95 waiting time ${duration(pending_age_p95_seconds * 1000)}.`;
  if (degraded) return error(`Degraded: ${pending}`);
  return ok(pending_count === 0 ? 'All backfills are complete.' : pending);
}
