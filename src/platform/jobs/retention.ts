import { z } from 'zod';
import type { Database, Transaction } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import { firstIdAt } from '../ids.ts';
import { defineJobType, MAINTENANCE_QUEUE } from './job-type.ts';

const BATCH = 1000;
const MS_PER_DAY = 24 * 60 * 60 * 1000;

/** Deletes jobs that have been over for `days`, with their attempts and artifacts. */
export function defineRetention(sql: Database, days: number) {
  return defineJobType('job_retention', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      let deleted = 0;
      for await (const count of deleteInBatches(sql, days)) {
        signal.throwIfAborted();
        deleted += count;
        await progress({ deleted });
      }
      return { result: { deleted } };
    },
  });
}

/** Ids grow with time, so the oldest jobs come first and the walk ends where jobs are too young. */
async function* deleteInBatches(sql: Database, days: number): AsyncGenerator<number> {
  const youngest = firstIdAt(new Date(Date.now() - days * MS_PER_DAY));
  let last = firstIdAt(new Date(0));
  for (;;) {
    const candidates = await sql<{ id: string }[]>`
      select id from jobs where id > ${last} and id < ${youngest} order by id limit ${BATCH}`;
    const lastCandidate = candidates.at(-1);
    if (!lastCandidate) return;
    yield await deleteFinished(
      sql,
      candidates.map(({ id }) => id),
      days,
    );
    last = lastCandidate.id;
  }
}

/** Locks the jobs first, so that one that an operator queues again at this moment is either seen or not there. */
async function deleteFinished(sql: Database, ids: string[], days: number): Promise<number> {
  return transaction(sql, async (tx) => {
    const locked = await tx<{ id: string }[]>`
      select id from jobs where id = any(${ids}) order by id for update skip locked`;
    const over = await tx<{ id: string }[]>`
      select jobs.id
      from jobs
      left join job_attempts on job_attempts.job_id = jobs.id
      where jobs.id = any(${locked.map(({ id }) => id)})
        and not exists (select from job_queue where job_queue.job_id = jobs.id)
      group by jobs.id
      having greatest(max(job_attempts.finished_at), jobs.cancelled_at) < now() - ${days} * interval '1 day'`;
    await deleteJobs(
      tx,
      over.map(({ id }) => id),
    );
    return over.length;
  });
}

/** Deletes jobs that are over, with all that is kept of them. */
export async function deleteJobs(tx: Transaction, ids: string[]): Promise<void> {
  await tx`
    with artifacts as (delete from job_artifacts where job_id = any(${ids})),
    attempts as (delete from job_attempts where job_id = any(${ids}))
    delete from jobs where id = any(${ids})`;
}
