import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../jobs/job-type.ts';
import type { Periodic } from '../jobs/periodic/periodic.ts';

const BATCH = 1000;

/** Deletes entries of the audit log that are older than `days`, in batches, oldest first. */
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

/** The index on the time delivers the oldest first, so a batch costs the same however long the log is. */
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
