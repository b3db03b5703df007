import { z } from 'zod';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { defineJobType } from '../../platform/jobs/job-type.ts';
import { auditClosure } from '../libraries/closure-audit.ts';

/** What is wrong, and the ids that it takes to find it. */
interface Inconsistency {
  kind: string;
  [id: string]: string;
}

/** Of each kind so many are listed; the rest are counted. */
const LISTED_OF_EACH_KIND = 1000;

/** Each check is one statement that returns the ids it objects to. */
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
    async handler({ repair }, { signal, progress }) {
      const findings = createFindings();
      for (const [kind, find] of Object.entries(CHECKS)) {
        signal.throwIfAborted();
        const found = await find(sql);
        findings.add(kind, found, found.length);
      }
      await progress({ checked: 'identity and jobs', inconsistency_count: findings.count() });
      await auditClosure({ sql, repair, signal, toldAtOnce: LISTED_OF_EACH_KIND, report: findings.add });
      const [documents] = await sql<[{ count: number }]>`select count(*) from media`;
      return {
        result: {
          document_count: documents.count,
          inconsistencies: findings.listed,
          inconsistency_count: findings.count(),
          repaired: repair,
        },
      };
    },
  });
}

/** Keeps the first of each kind and the number of all, so that a broken database does not fill the memory. */
function createFindings() {
  const listed: Inconsistency[] = [];
  const counts = new Map<string, { listed: number; total: number }>();
  return {
    listed,
    count: () => [...counts.values()].reduce((sum, { total }) => sum + total, 0),
    add(kind: string, first: object[], total: number): void {
      const count = counts.get(kind) ?? { listed: 0, total: 0 };
      const room = first.slice(0, LISTED_OF_EACH_KIND - count.listed);
      listed.push(...room.map((ids) => ({ kind, ...ids })));
      counts.set(kind, { listed: count.listed + room.length, total: count.total + total });
    },
  };
}
