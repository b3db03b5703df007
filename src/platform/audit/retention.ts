import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../jobs/job-type.ts';
import type { Periodic } from '../jobs/periodic/periodic.ts';

const BATCH = 1000;

/** Deletes audit entries older than `days`, in batches, oldest first. */
export function periodicAuditRetention(sql: Database, days: number): Periodic {
  const type = defineJobType('audit_retention', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      let deleted = 0;
      for (;;) {
        signal.throwIfAborted();
        const count = await deleteOldEntries(sql, days);
        deleted += count;
        if (count < BATCH) return { result: { deleted } };
        await progress({ deleted });
      }
    },
  });
  return { type, everySeconds: 3600 };
}

/** Deletes one batch. The index on the time returns the oldest first, so the cost does not depend on the log's size. */
async function deleteOldEntries(sql: Database, days: number): Promise<number> {
  const deleted = await sql`
    delete from audit_logs
    where id in (
      select id
      from audit_logs
      where created_at < now() - ${days} * interval '1 day'
      order by created_at, id
      limit ${BATCH}
    )`;
  return deleted.count;
}
