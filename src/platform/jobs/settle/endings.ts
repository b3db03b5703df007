import type { Transaction } from '../../database/database.ts';
import { continuing } from '../../telemetry/tracing.ts';
import type { LeasedJob } from '../claim/claim.ts';
import type { EndedJob, JobTypes } from '../job-type.ts';

interface Attempted {
  job: LeasedJob;
  runtimeMs: number;
}

interface Failed extends Attempted {
  errorText: string;
  errorCode: string | null;
}

/** How an attempt ended, and what becomes of the job. */
export type Outcome =
  | (Attempted & { kind: 'succeeded'; result: string | null })
  /** The job is over. The attempt itself failed, or was interrupted once too often. */
  | (Failed & { kind: 'failed'; isInterrupted?: boolean })
  /** Cancelled while it ran. */
  | (Failed & { kind: 'cancelled' })
  /** Failed, with attempts left. */
  | (Failed & { kind: 'retry'; delayMs: number })
  /** Cut short by Nexus's own trouble: refunded, and counted as an interruption. */
  | (Failed & { kind: 'interrupted'; delayMs: number })
  /** Handed back at shutdown: refunded. */
  | (Failed & { kind: 'stopped' })
  /** Never begun: as if it had not been claimed. */
  | { kind: 'released'; job: LeasedJob };

/** Called in the transaction that ends the jobs, so that what it writes commits together with their end. */
export type OnJobsEnded = (tx: Transaction, jobs: EndedJob[]) => Promise<void>;

/** The listeners to the ends of jobs. */
export interface Endings {
  /** Whether a job type has an `onEnded` handler or is public. */
  hasListeners(jobType: string): boolean;
  /** Calls `onEnded` of each job's type, and the listener for public types. */
  notify: OnJobsEnded;
}

export function createEndings(types: JobTypes, onPublicEnded?: OnJobsEnded): Endings {
  const isPublic = (jobType: string) =>
    onPublicEnded !== undefined && types.get(jobType)?.submittedBy !== undefined;
  return {
    hasListeners: (jobType) => isPublic(jobType) || types.get(jobType)?.onEnded !== undefined,
    async notify(tx, jobs) {
      for (const job of jobs) {
        const type = types.get(job.job_type);
        // `onEnded` is not called with a payload that does not fit its type.
        const parsed = type?.onEnded && type.payload.safeParse(job.payload);
        if (parsed?.success)
          await continuing(job.traceparent, () => type?.onEnded?.(tx, { ...job, payload: parsed.data }));
      }
      const publicJobs = jobs.filter(({ job_type }) => isPublic(job_type));
      if (publicJobs.length > 0) await onPublicEnded?.(tx, publicJobs);
    },
  };
}

/** The job that an outcome ends; none for an outcome after which it waits again. */
export function endedBy(outcome: Outcome): EndedJob[] {
  if (outcome.kind === 'succeeded') return [endedJob(outcome.job, 'succeeded')];
  if (outcome.kind !== 'failed') return [];
  const { job, errorCode: error_code, errorText: error_text } = outcome;
  return [{ ...endedJob(job, 'failed'), error_code, error_text }];
}

export function endedJob(job: LeasedJob, status: EndedJob['status']): EndedJob {
  const { id: job_id, attempt: attempt_count, job_type, payload } = job;
  const { created_by, created_by_user_id, request_id, traceparent } = job;
  const creation = { created_by, created_by_user_id, request_id, traceparent };
  return {
    job_id,
    job_type,
    payload,
    status,
    attempt_count,
    ...creation,
    error_code: null,
    error_text: null,
  };
}
