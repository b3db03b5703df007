import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../jobs/job-type.ts';
import type { Periodic } from '../jobs/periodic/periodic.ts';

const BATCH = 1000;

/** Deletes audit entries older than `days`, in batches. The index on the time returns the oldest first. */
export function periodicAuditRetention(sql: Database, days: number): Periodic {
  const type = defineJobType('audit_retention', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      for (let deleted = 0; ; await progress({ deleted })) {
        signal.throwIfAborted();
        const { count } = await sql`
          delete from audit_logs
          where id in (
            select id
            from audit_logs
            where created_at < now() - ${days} * interval '1 day'
            order by created_at, id
            limit ${BATCH}
          )`;
        deleted += count;
        if (count < BATCH) return { result: { deleted } };
      }
    },
  });
  return { type, everySeconds: 3600 };
}
