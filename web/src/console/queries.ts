import type { QueryKey } from '@tanstack/react-query';
import { dataQuery, getQuery, onlyForId, queryKeys } from '../api/queries.ts';
import type * as wire from './types.ts';

/**
 * How often the console refetches figures that have no events, such as queue depths. TanStack Query pauses it while the
 * browser tab is hidden.
 */
export const REFRESH_MS = 5000;

const polled = <T>(queryKey: QueryKey, path: string, params: Record<string, string> = {}) => ({
  ...dataQuery<T>(queryKey, path, params),
  refetchInterval: REFRESH_MS,
});

export const jobStatsQuery = polled<wire.QueueStats[]>(queryKeys.jobStats(), '/jobs/stats');
export const workersQuery = polled<wire.Worker[]>(queryKeys.workers(), '/workers');
export const backfillHealthQuery = polled<wire.BackfillHealth>(
  queryKeys.backfillHealth(),
  '/backfill-jobs/health',
);
export const outboxHealthQuery = polled<wire.OutboxHealth>(queryKeys.outboxHealth(), '/outbox/health');

export const throughputQuery = (minutes: string) => ({
  ...polled<wire.Throughput>(queryKeys.throughput(minutes), '/jobs/throughput', { minutes }),
  // Long time ranges change slowly and are expensive to count.
  refetchInterval: REFRESH_MS * Math.max(1, Number(minutes) / 60),
  placeholderData: (before: wire.Throughput | undefined) => before,
});

export const failuresQuery = (minutes: string, filter: { job_type?: string; queue?: string } = {}) => ({
  ...polled<wire.JobFailure[]>(queryKeys.jobFailures(minutes, filter), '/jobs/failures', {
    minutes,
    ...filter,
  }),
  placeholderData: (before: wire.JobFailure[] | undefined) => before,
});

export const jobQuery = (jobId: string) =>
  onlyForId(jobId, {
    ...getQuery<wire.Job>(queryKeys.job(jobId), `/jobs/${jobId}`),
    refetchInterval: REFRESH_MS,
  });

export const outboxEventQuery = (eventId: string) =>
  onlyForId(
    eventId,
    polled<wire.OutboxEventWithDeliveries>(queryKeys.outboxEvent(eventId), `/outbox/events/${eventId}`),
  );

export const webhookQuery = (webhookId: string) =>
  onlyForId(webhookId, polled<wire.Webhook>(queryKeys.webhook(webhookId), `/webhooks/${webhookId}`));

export const isOver = (status: wire.JobStatus) =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';
