import { z } from 'zod';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { defineJobType } from '../../platform/jobs/job-type.ts';

interface Inconsistency {
  kind: string;
  id: string;
}

/** Looks for what must not be, and says where it is. Each check is one statement that returns the ids it objects to. */
const CHECKS: Record<string, (sql: Queryable) => PromiseLike<{ id: string }[]>> = {
  default_library_not_default: (sql) => sql<{ id: string }[]>`
    select users.id
    from users
    join libraries on libraries.id = users.default_library_id
    where not libraries.is_default`,
  default_library_without_its_owner: (sql) => sql<{ id: string }[]>`
    select libraries.id
    from libraries
    left join memberships
      on memberships.library_id = libraries.id and memberships.user_id = libraries.owner_user_id
    where libraries.is_default and memberships.role is distinct from 'admin'`,
  queued_without_job: (sql) => sql<{ id: string }[]>`
    select job_id as id from job_queue where not exists (select from jobs where jobs.id = job_queue.job_id)`,
  attempt_without_job: (sql) => sql<{ id: string }[]>`
    select distinct job_id as id from job_attempts where not exists (select from jobs where jobs.id = job_attempts.job_id)`,
  job_without_end: (sql) => sql<{ id: string }[]>`
    select jobs.id
    from jobs
    where jobs.cancelled_at is null
      and not exists (select from job_queue where job_queue.job_id = jobs.id)
      and not exists (select from job_attempts where job_attempts.job_id = jobs.id)`,
};

export function defineIntegrityAudit(sql: Database) {
  return defineJobType('integrity_audit', {
    payload: z.strictObject({ repair: z.boolean().default(false) }),
    submittedBy: 'operator',
    async handler(_payload, { signal, progress }) {
      const inconsistencies: Inconsistency[] = [];
      let checked = 0;
      for (const [kind, find] of Object.entries(CHECKS)) {
        signal.throwIfAborted();
        for (const { id } of await find(sql)) inconsistencies.push({ kind, id });
        checked += 1;
        await progress({ checks_done: checked, checks_total: Object.keys(CHECKS).length });
      }
      return { result: { document_count: 0, inconsistencies } };
    },
  });
}
