import type { Transaction } from '../database/database.ts';
import type { LeasedJob } from './claim.ts';
import type { JobTypes } from './job-type.ts';
import type { Outcome } from './settle.ts';

/** A job that is over, at least until an operator queues it again. */
export interface EndedJob {
  job_id: string;
  job_type: string;
  status: 'succeeded' | 'failed' | 'cancelled';
  attempt_count: number;
  created_by: string | null;
  created_by_user_id: string | null;
  request_id: string | null;
  error_code: string | null;
}

/** Called in the transaction that ends the jobs: what it writes is there exactly when they are over. */
export type TellEnded = (tx: Transaction, jobs: EndedJob[]) => Promise<void>;

/** Who is told when jobs of public types end. The rest is Nexus's own housekeeping, and costs nothing here. */
export interface Endings {
  concern(jobType: string): boolean;
  tell: TellEnded;
}

export function createEndings(types: JobTypes, tell: TellEnded | undefined): Endings | undefined {
  return tell && { concern: (jobType) => types.get(jobType)?.submittedBy !== undefined, tell };
}

/** What an outcome says of its job, where that is over. */
export function endedBy(outcome: Outcome): EndedJob | undefined {
  if (outcome.kind === 'succeeded') return endedJob(outcome.job, 'succeeded', null);
  if (outcome.kind === 'failed') return endedJob(outcome.job, 'failed', outcome.errorCode);
  return undefined;
}

export function endedJob(job: LeasedJob, status: 'succeeded' | 'failed', errorCode: string | null): EndedJob {
  return {
    job_id: job.id,
    job_type: job.job_type,
    status,
    attempt_count: job.attempt,
    created_by: job.created_by,
    created_by_user_id: job.created_by_user_id,
    request_id: job.request_id,
    error_code: errorCode,
  };
}
