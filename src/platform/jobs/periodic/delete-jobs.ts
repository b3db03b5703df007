import type { Transaction } from '../../database/database.ts';

/** Deletes jobs that are over, with everything that is kept of them. */
export async function deleteJobs(tx: Transaction, ids: string[]): Promise<void> {
  await tx`
    with artifacts as (delete from job_artifacts where job_id = any(${ids})),
    attempts as (delete from job_attempts where job_id = any(${ids}))
    delete from jobs where id = any(${ids})`;
}
