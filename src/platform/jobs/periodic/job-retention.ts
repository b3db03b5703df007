import type { Database } from '../../database/database.ts';
import { transaction } from '../../database/transaction.ts';
import { deleteJobs } from './delete-jobs.ts';
import type { Periodic } from './periodic.ts';
import { periodicRetention } from './retention.ts';

/** Deletes jobs that have been over for `days`, with their attempts and artifacts. */
export function periodicJobRetention(sql: Database, days: number): Periodic {
  return periodicRetention('job_retention', {
    sql,
    table: 'jobs',
    hours: days * 24,
    deleteOld: (ids) => deleteFinished(sql, ids, days),
  });
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
