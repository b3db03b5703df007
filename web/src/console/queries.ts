import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import { REFRESH_MS } from './refresh.ts';
import type * as wire from './types.ts';

export const jobStatsQuery = queryOptions({
  queryKey: queryKeys.jobStats(),
  queryFn: ({ signal }) =>
    api.get<wire.JobStats>('/api/v1/jobs/stats', {}, signal).then(({ queues }) => queues),
  refetchInterval: REFRESH_MS,
});

export const throughputQuery = (minutes: string) =>
  queryOptions({
    queryKey: queryKeys.throughput(minutes),
    queryFn: ({ signal }) => api.get<wire.Throughput>('/api/v1/jobs/throughput', { minutes }, signal),
    // Long time ranges change slowly and are expensive to count.
    refetchInterval: REFRESH_MS * Math.max(1, Number(minutes) / 60),
    placeholderData: (before) => before,
  });

export const failuresQuery = (minutes: string, filter: { job_type?: string; queue?: string } = {}) =>
  queryOptions({
    queryKey: queryKeys.jobFailures(minutes, filter),
    queryFn: ({ signal }) =>
      api.get<wire.JobFailures>('/api/v1/jobs/failures', { minutes, ...filter }, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  });

export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: queryKeys.job(jobId),
    queryFn: ({ signal }) => api.get<wire.Job>(`/api/v1/jobs/${jobId}`, {}, signal),
    refetchInterval: REFRESH_MS,
  });

export const isOver = (status: wire.JobStatus) =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

export const workersQuery = queryOptions({
  queryKey: queryKeys.workers(),
  queryFn: ({ signal }) =>
    api.get<wire.WorkerList>('/api/v1/workers', {}, signal).then(({ workers }) => workers),
  refetchInterval: REFRESH_MS,
});

export const backfillHealthQuery = queryOptions({
  queryKey: queryKeys.backfillHealth(),
  queryFn: ({ signal }) => api.get<wire.BackfillHealth>('/api/v1/backfill-jobs/health', {}, signal),
  refetchInterval: REFRESH_MS,
});

export const outboxHealthQuery = queryOptions({
  queryKey: queryKeys.outboxHealth(),
  queryFn: ({ signal }) => api.get<wire.OutboxHealth>('/api/v1/outbox/health', {}, signal),
  refetchInterval: REFRESH_MS,
});

export const outboxEventQuery = (eventId: string) =>
  queryOptions({
    queryKey: queryKeys.outboxEvent(eventId),
    queryFn: ({ signal }) =>
      api.get<wire.OutboxEventWithDeliveries>(`/api/v1/outbox/events/${eventId}`, {}, signal),
    refetchInterval: REFRESH_MS,
  });

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: queryKeys.webhook(webhookId),
    queryFn: ({ signal }) => api.get<wire.Webhook>(`/api/v1/webhooks/${webhookId}`, {}, signal),
    refetchInterval: REFRESH_MS,
  });
