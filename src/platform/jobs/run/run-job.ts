import { transaction } from '../../database/transaction.ts';
import {
  interruptionDelay,
  isOwnTrouble,
  MAX_INTERRUPTIONS,
  UNKNOWN_TYPE_DELAY,
} from '../../work/interruption.ts';
import { DEFAULT_RETRY, PermanentError, RetryLater, retryDelay } from '../../work/retry-policy.ts';
import type { LeasedJob } from '../claim/claim.ts';
import type { JobType } from '../job-type.ts';
import type { Outcome } from '../settle/endings.ts';
import type { RunnerDependencies, RunningJob } from './running-job.ts';

const LONGEST_ERROR_TEXT = 10_000;

/** Resolves to how the attempt ended; to undefined when there is nothing left to write. Never rejects. */
export async function runJob(
  running: RunningJob,
  { sql, types }: RunnerDependencies,
): Promise<Outcome | undefined> {
  const { job } = running;
  const type = types.get(job.job_type);
  if (!type) {
    const errorText = `This worker knows no job type ${job.job_type}.`;
    running.log.warn(errorText);
    const attempt = { runtimeMs: running.runtimeMs(), errorText, errorCode: 'E_UNKNOWN_JOB_TYPE' };
    return interruptedAttempt(job, attempt, UNKNOWN_TYPE_DELAY);
  }
  try {
    const completion = await type.handler(readPayload(type, job), running);
    if (running.interruption && running.interruption !== 'shutdown') return undefined;
    if (running.isCompleted) return undefined;
    // Artifacts are written with the completion, so a job that leaves some completes in a transaction of its own.
    if (completion?.artifacts?.length) {
      await transaction(sql, (tx) => running.complete(tx, completion));
      return undefined;
    }
    const result = completion?.result === undefined ? null : JSON.stringify(completion.result);
    return { kind: 'succeeded', job, runtimeMs: running.runtimeMs(), result };
  } catch (error) {
    if (running.interruption === 'shutdown') return stoppedAttempt(job, running.runtimeMs());
    if (running.interruption || running.isCompleted) {
      running.log.info({ err: error }, 'the result of an interrupted attempt was dropped');
      return undefined;
    }
    running.log.warn({ err: error }, 'an attempt failed');
    if (isOwnTrouble(error)) {
      const errorText = `Nexus itself was in trouble during this attempt, which does not count: ${textOf(error)}`;
      const runtimeMs = running.runtimeMs();
      return interruptedAttempt(job, { runtimeMs, errorText, errorCode: 'E_UNAVAILABLE' });
    }
    return failed(job, type, error, running.runtimeMs());
  }
}

/** The outcome of an attempt that its worker hands back at shutdown. */
export function stoppedAttempt(job: LeasedJob, runtimeMs: number): Outcome {
  const errorText = 'The worker stopped before the attempt was finished.';
  return { kind: 'stopped', job, runtimeMs, errorText, errorCode: 'E_WORKER_STOPPED' };
}

/** The outcome of an attempt that Nexus's own trouble cut short. Interrupted too often, the job has failed. */
export function interruptedAttempt(
  job: LeasedJob,
  attempt: { runtimeMs: number; errorText: string; errorCode: string },
  delaySeconds = interruptionDelay(job.interrupted_count + 1),
): Outcome {
  const count = job.interrupted_count + 1;
  if (count < MAX_INTERRUPTIONS) {
    return { kind: 'interrupted', job, ...attempt, delayMs: delaySeconds * 1000 };
  }
  const errorText = `${attempt.errorText} The job was interrupted ${count} times and is given up.`;
  return { kind: 'failed', job, ...attempt, errorText, isInterrupted: true };
}

/** The outcome in place of one that PostgreSQL refused to store, and would refuse every time. */
export function unwritableResult(outcome: Outcome, error: unknown): Outcome {
  const errorText = `The result cannot be stored: ${(error as Error).message}.`;
  const runtimeMs = 'runtimeMs' in outcome ? outcome.runtimeMs : 0;
  return { kind: 'failed', job: outcome.job, runtimeMs, errorText, errorCode: 'E_INVALID_RESULT' };
}

function readPayload(type: JobType, job: LeasedJob): unknown {
  const parsed = type.payload.safeParse(job.payload);
  if (parsed.success) return parsed.data;
  throw new PermanentError(
    'E_INVALID_PAYLOAD',
    `The payload does not fit ${type.type}: ${parsed.error.message}`,
  );
}

function failed(job: LeasedJob, type: JobType, error: unknown, runtimeMs: number): Outcome {
  const { code } = error as { code?: unknown };
  const errorText = textOf(error);
  const errorCode = typeof code === 'string' ? code : null;
  const counted = job.attempt - job.refunded_count;
  if (error instanceof PermanentError || counted >= job.max_attempts) {
    return { kind: 'failed', job, runtimeMs, errorText, errorCode };
  }
  const seconds =
    error instanceof RetryLater ? error.delaySeconds : retryDelay(type.retry ?? DEFAULT_RETRY, counted);
  return { kind: 'retry', job, runtimeMs, errorText, errorCode, delayMs: seconds * 1000 };
}

/** PostgreSQL's text takes every character but NUL. */
function textOf(error: unknown): string {
  const { message } = error as { message?: string };
  return (message || String(error)).slice(0, LONGEST_ERROR_TEXT).replaceAll('\0', '\uFFFD');
}
