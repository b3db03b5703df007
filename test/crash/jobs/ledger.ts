import { expect } from 'vitest';
import type { Database } from '../../../src/platform/database/database.ts';
import { transaction } from '../../../src/platform/database/transaction.ts';
import { enqueueMany } from '../../../src/platform/jobs/submit/enqueue.ts';
import { jobType } from '../../support/jobs.ts';

/** The job types of the worker processes; see worker-process.mjs. */
export type Work = 'effect' | 'plain' | 'slow';
const types = Object.fromEntries(
  ['effect', 'plain', 'slow'].map((name) => [
    name,
    jobType(name, async () => undefined, { retry: { delays: [0.05] } }),
  ]),
);

/** Tables that record the effects of jobs, so that a lost or doubled effect is noticed. */
export async function openLedger(sql: Database): Promise<void> {
  await sql`create table effects (job_id uuid not null, attempt int not null, pid int not null)`;
  await sql`create table runs (job_id uuid not null, attempt int not null)`;
}

export async function enqueueWork(sql: Database, work: Work, count: number, maxAttempts: number) {
  return transaction(sql, (tx) =>
    enqueueMany(
      tx,
      Array.from({ length: count }, () => ({ type: types[work] as never, payload: {}, maxAttempts })),
    ),
  );
}

export async function unfinished(sql: Database): Promise<number> {
  const [row] = await sql<[{ n: number }]>`select count(*) as n from job_queue`;
  return row.n;
}

/** Expects that every job has succeeded once, each attempt has one row, and no effect is lost or doubled. */
export async function expectAllDoneOnce(sql: Database, expected: Record<string, number>): Promise<void> {
  const done = await sql<{ job_type: string; n: number }[]>`
    select job_type, count(*) as n
    from jobs
    where exists (select from job_attempts where job_id = jobs.id and status = 'succeeded')
    group by job_type`;
  expect(Object.fromEntries(done.map(({ job_type, n }) => [job_type, n]))).toEqual(expected);
  const odd = await sql`
    select job_id
    from job_attempts
    group by job_id
    having count(*) <> max(attempt_number) or count(*) filter (where status = 'succeeded') <> 1`;
  expect(odd).toHaveLength(0);
  const doubled = await sql`select job_id from effects group by job_id having count(*) > 1`;
  expect(doubled).toHaveLength(0);
  const lost = await sql`
    select id from jobs
    where case job_type
      when 'effect' then not exists (select from effects where job_id = jobs.id)
      when 'plain' then not exists (select from runs where job_id = jobs.id)
    end`;
  expect(lost).toHaveLength(0);
  const expired = await sql`select from job_attempts where error_code = 'E_LEASE_EXPIRED'`;
  expect(await sql`select from audit_logs where action = 'job.lease_expired'`).toHaveLength(expired.length);
}
