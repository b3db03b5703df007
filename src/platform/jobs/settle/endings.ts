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

/** Calls whoever is told when a job ends: its type, and for public types the listener of all of them. */
export interface Endings {
  /** Whether anybody is told. The other types cost nothing here. */
  concern(jobType: string): boolean;
  /** Tells those whom the jobs concern, in the transaction that ends them. */
  tell: OnJobsEnded;
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
        if (parsed?.success)
          await continuing(job.traceparent, () => type?.onEnded?.(tx, { ...job, payload: parsed.data }));
      }
      const told = jobs.filter(({ job_type }) => isPublic(job_type));
      if (told.length > 0) await onPublicEnded?.(tx, told);
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
