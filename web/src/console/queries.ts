import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type * as wire from './types.ts';

const SOON_MS = 3000;
const NOW_AND_THEN_MS = 10_000;

/** Keys begin as the event stream names them, so that what it tells makes these old (`shell/live.ts`). */
export const jobStatsQuery = queryOptions({
  queryKey: ['jobs', 'stats'],
  queryFn: ({ signal }) =>
    api.get<wire.JobStats>('/api/v1/jobs/stats', {}, signal).then(({ queues }) => queues),
  refetchInterval: SOON_MS,
});

export const throughputQuery = (minutes: string) =>
  queryOptions({
    queryKey: ['throughput', minutes],
    queryFn: ({ signal }) => api.get<wire.Throughput>('/api/v1/jobs/throughput', { minutes }, signal),
    // The longer the time, the less a few seconds show, and the more they cost to count.
    refetchInterval: Math.max(5000, Number(minutes) * 100),
    placeholderData: (before) => before,
  });

export const failuresQuery = (minutes: string, filter: { job_type?: string; queue?: string } = {}) =>
  queryOptions({
    queryKey: ['jobs', 'failures', minutes, filter],
    queryFn: ({ signal }) =>
      api.get<wire.JobFailures>('/api/v1/jobs/failures', { minutes, ...filter }, signal),
    refetchInterval: NOW_AND_THEN_MS,
    placeholderData: (before) => before,
  });

export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', jobId],
    queryFn: ({ signal }) => api.get<wire.Job>(`/api/v1/jobs/${jobId}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && isOver(state.data.status) ? NOW_AND_THEN_MS : 1000),
  });

export const isOver = (status: wire.JobStatus) =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

export const workersQuery = queryOptions({
  queryKey: ['workers'],
  queryFn: ({ signal }) =>
    api.get<wire.WorkerList>('/api/v1/workers', {}, signal).then(({ workers }) => workers),
  refetchInterval: SOON_MS,
});

export const backfillHealthQuery = queryOptions({
  queryKey: ['backfills', 'health'],
  queryFn: ({ signal }) => api.get<wire.BackfillHealth>('/api/v1/backfill-jobs/health', {}, signal),
  refetchInterval: NOW_AND_THEN_MS,
});

export const outboxHealthQuery = queryOptions({
  queryKey: ['outbox', 'health'],
  queryFn: ({ signal }) => api.get<wire.OutboxHealth>('/api/v1/outbox/health', {}, signal),
  refetchInterval: NOW_AND_THEN_MS,
});

export const outboxEventQuery = (eventId: string) =>
  queryOptions({
    queryKey: ['outbox', 'one', eventId],
    queryFn: ({ signal }) =>
      api.get<wire.OutboxEventWithDeliveries>(`/api/v1/outbox/events/${eventId}`, {}, signal),
    refetchInterval: SOON_MS,
  });

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', webhookId],
    queryFn: ({ signal }) => api.get<wire.Webhook>(`/api/v1/webhooks/${webhookId}`, {}, signal),
    refetchInterval: NOW_AND_THEN_MS,
  });
