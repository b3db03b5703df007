import type { Database } from '../database/database.ts';
import { identifier } from '../database/statement.ts';
import type { IntegrityCheck } from '../integrity/check.ts';
import { createRowCheck, type RowRule } from '../integrity/scan.ts';

/** Forbids rows whose job is gone: they cannot be reached, and retention does not delete them. */
const withoutJob = (kind: string, table: string): RowRule => ({
  kind,
  table,
  key: 'job_id',
  isWrong: (sql) => sql`not exists (select from jobs where jobs.id = scanned.job_id)`,
  repair: (sql, rows) => sql`delete from ${identifier(table)} as scanned where ${rows}`,
});

/** Checks that no row outlives its job, and that every job waits, runs or has ended. */
export function createJobCheck(sql: Database): IntegrityCheck {
  return createRowCheck(sql, 'jobs', [
    withoutJob('queued_without_job', 'job_queue'),
    withoutJob('attempt_without_job', 'job_attempts'),
    withoutJob('artifact_without_job', 'job_artifacts'),
    {
      kind: 'job_without_end',
      table: 'jobs',
      key: 'id',
      isWrong: (tx) => tx`
        scanned.cancelled_at is null
        and not exists (select from job_queue where job_queue.job_id = scanned.id)
        and not exists (select from job_attempts where job_attempts.job_id = scanned.id)`,
    },
  ]);
}
