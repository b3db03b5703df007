import { z } from 'zod';
import { id } from '../../contract/wire.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType } from '../../platform/jobs/job-type.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { defineSubscriber } from '../../platform/outbox/subscriber.ts';
import type { Graph } from './graph.ts';

/** Nobody waits for it: it comes after all that makes documents readable. */
const PRIORITY = 3;

/** Puts documents into the graph when they have become readable, as work that survives its worker. */
export function createProjectionJob({
  sql,
  graph,
  queue,
}: {
  sql: Database;
  graph: Pick<Graph, 'project'>;
  queue: Pick<JobQueue, 'enqueue'>;
}) {
  const type = defineJobType('project_document', {
    queue: 'ingest',
    payload: z.strictObject({ media_id: id }),
    async handler({ media_id }, { signal }) {
      return {
        result: { outcome: (await graph.project(media_id, signal)) ? 'projected' : 'nothing to read' },
      };
    },
  });
  const subscriber = defineSubscriber('graph', {
    eventTypes: ['media.ready'],
    async handler({ id: eventId, payload: { media_id }, request_id }) {
      await transaction(sql, (tx) =>
        queue.enqueue(tx, {
          type,
          payload: { media_id },
          priority: PRIORITY,
          idempotencyKey: eventId,
          requestId: request_id ?? undefined,
        }),
      );
    },
  });
  return { type, subscriber };
}
