import type { Transaction } from '../../database/database.ts';
import type { LeasedJob } from '../claim/claim.ts';
import type { EndedJob, OnJobsEnded } from '../ended-job.ts';
import type { JobTypes } from '../job-type.ts';
import type { Outcome } from './outcome.ts';

/** Who is told when a job ends: its type, and for public types whoever listens to all of them. */
export interface Endings {
  /** Whether anybody is told. The other types cost nothing here. */
  concern(jobType: string): boolean;
  /** Tells of jobs, in the transaction that ends them. */
  tell(tx: Transaction, jobs: EndedJob[]): Promise<void>;
}

export function createEndings(types: JobTypes, onPublicEnded?: OnJobsEnded): Endings {
  const isPublic = (jobType: string) =>
    onPublicEnded !== undefined && types.get(jobType)?.submittedBy !== undefined;
  return {
    concern: (jobType) => isPublic(jobType) || types.get(jobType)?.onEnded !== undefined,
    async tell(tx, jobs) {
      for (const job of jobs) {
        const type = types.get(job.job_type);
        // A payload that does not fit its type names nothing that could be told.
        const parsed = type?.onEnded && type.payload.safeParse(job.payload);
        if (parsed?.success) await type?.onEnded?.(tx, { ...job, payload: parsed.data });
      }
      const told = jobs.filter(({ job_type }) => isPublic(job_type));
      if (told.length > 0) await onPublicEnded?.(tx, told);
    },
  };
}

/** The job that an outcome ends; undefined for an outcome after which it waits again. */
export function endedBy(outcome: Outcome): EndedJob | undefined {
  if (outcome.kind === 'succeeded') return endedJob(outcome.job, { status: 'succeeded' });
  if (outcome.kind === 'failed')
    return endedJob(outcome.job, {
      status: 'failed',
      error_code: outcome.errorCode,
      error_text: outcome.errorText,
    });
  return undefined;
}

export function endedJob(
  { id, attempt, job_type, payload, created_by, created_by_user_id, request_id }: LeasedJob,
  end: Pick<EndedJob, 'status'> & Partial<Pick<EndedJob, 'error_code' | 'error_text'>>,
): EndedJob {
  return {
    job_id: id,
    job_type,
    payload,
    attempt_count: attempt,
    created_by,
    created_by_user_id,
    request_id,
    error_code: null,
    error_text: null,
    ...end,
  };
}
