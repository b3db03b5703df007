import { z } from 'zod';
import { id } from '../../contract/wire.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../platform/jobs/job-type.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import { enqueueMany, type NewJob } from '../../platform/jobs/submit/enqueue.ts';
import { defineSubscriber } from '../../platform/outbox/subscriber.ts';
import type { Graph } from './graph.ts';
import { PROJECTOR } from './projector.ts';
import { listUnprojected } from './store.ts';

/** Lower than that of all jobs that make documents readable, because nobody waits for it. */
const PRIORITY = 3;
const QUEUED_AT_ONCE = 1000;
const EVERY_SECONDS = 600;

/** The job that projects a document into the graph, and the two ways in which it is queued. */
export function createProjectionJob({ sql, graph }: { sql: Database; graph: Pick<Graph, 'project'> }) {
  const type = defineJobType('project_document', {
    queue: 'ingest',
    payload: z.strictObject({ media_id: id }),
    async handler({ media_id }, { signal }) {
      const isProjected = await graph.project(media_id, signal);
      return { result: { outcome: isProjected ? 'projected' : 'nothing to read' } };
    },
  });

  const jobOf = (media_id: string, idempotencyKey: string, requestId?: string) =>
    ({ type, payload: { media_id }, priority: PRIORITY, idempotencyKey, requestId }) as NewJob;

  /** Queues documents when they have become readable. */
  const subscriber = defineSubscriber('graph', {
    eventTypes: ['media.ready'],
    async batchHandler(events) {
      const jobs = events.map(({ id: eventId, payload, request_id }) =>
        jobOf(payload.media_id, eventId, request_id ?? undefined),
      );
      await transaction(sql, (tx) => enqueueMany(tx, jobs));
    },
  });

  /** Queues documents that missed their projection, each at most once an hour. */
  const missed: Periodic = {
    type: defineJobType('missed_projections', {
      queue: MAINTENANCE_QUEUE,
      payload: z.strictObject({}),
      async handler() {
        const hour = new Date().toISOString().slice(0, 13);
        const missing = await listUnprojected(sql, PROJECTOR, QUEUED_AT_ONCE);
        const jobs = missing.map((mediaId) => jobOf(mediaId, `missed:${mediaId}:${hour}`));
        const queued = await transaction(sql, (tx) => enqueueMany(tx, jobs));
        return { result: { queued: queued.filter(({ created }) => created).length } };
      },
    }),
    everySeconds: EVERY_SECONDS,
  };

  return { type, subscriber, periodic: [missed] };
}
