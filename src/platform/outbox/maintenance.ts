import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../jobs/job-type.ts';
import type { Periodic } from '../jobs/periodic/periodic.ts';
import { periodicRetention, type Retention } from '../jobs/periodic/retention.ts';
import type { Dispatcher } from './dispatcher.ts';
import { deleteOldEvents } from './store.ts';

/** Delivers events whose notifications were lost. */
export function periodicOutboxSweep(dispatcher: Pick<Dispatcher, 'deliverDue'>, minutes: number): Periodic {
  const type = defineJobType('outbox_sweep', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    handler: async (_payload, { signal }) => ({ result: { delivered: await dispatcher.deliverDue(signal) } }),
  });
  return { type, everySeconds: minutes * 60 };
}

/** Events that have been delivered, or have failed, for so many hours are deleted with their delivery records. */
export const eventRetention = (sql: Database, hours: number): Retention => ({
  sql,
  table: 'outbox_event',
  hours,
  deleteOld: (ids) => deleteOldEvents(sql, ids, hours),
});

export const periodicOutboxCleanup = (sql: Database, hours: number): Periodic =>
  periodicRetention('outbox_cleanup', eventRetention(sql, hours));
