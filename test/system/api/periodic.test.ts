import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Worker } from '../../../src/platform/jobs/worker.ts';
import { useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
let worker: Worker;

beforeAll(async () => {
  worker = await app.engine.work({ concurrency: 4, pollSeconds: 0.2, graceSeconds: 5 });
});
afterAll(() => worker.stop());

/** A sweep that is missing from the schedule goes unnoticed until the damage it would have found is noticed. */
test('every sweep and cleanup of Nexus is on the schedule, runs, and succeeds', async () => {
  const rows = () => sql<{ name: string; status: string | null }[]>`
    select name, status
    from job_schedules
    left join job_attempts on job_attempts.job_id = last_job_id
    order by name`;
  const names = [
    'audit_retention',
    'job_retention',
    'library_backfill_backlog',
    'media_purge',
    'missed_indexing',
    'missed_placements',
    'missed_projections',
    'missed_thumbnails',
    'orphaned_files_sweep',
    'outbox_cleanup',
    'outbox_sweep',
    'outdated_search_rows',
    'rule_run_retention',
    'session_cleanup',
    'upload_expiry',
    'webhook_cleanup',
  ];
  await vi.waitFor(async () => {
    expect((await rows()).map(({ name, status }) => [name, status])).toEqual(
      names.map((name) => [name, 'succeeded']),
    );
  }, 20_000);
});
