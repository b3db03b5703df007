import type { z } from 'zod';
import type { Principal } from '../../contract/identity.ts';
import type { Role } from '../../contract/roles.ts';
import type { Transaction } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../work/retry-policy.ts';

const DEFAULT_QUEUE = 'default';
/** The queue of Nexus's own maintenance, so that a worker can be kept free of it. */
export const MAINTENANCE_QUEUE = 'maintenance';

/** The person or program that asked for a job. The id says whose it is; the name is for showing. */
export interface Creator {
  name: string;
  userId?: string | undefined;
}

/** A job that is over, at least until an operator queues it again. */
export interface EndedJob<Payload = unknown> {
  job_id: string;
  job_type: string;
  payload: Payload;
  status: 'succeeded' | 'failed' | 'cancelled';
  attempt_count: number;
  created_by: string | null;
  created_by_user_id: string | null;
  request_id: string | null;
  /** The span that ended it, or that caused it. */
  traceparent: string | null;
  error_code: string | null;
  error_text: string | null;
}

/** Something that a handler leaves behind beside its result, written in the transaction that completes the job. */
export interface Artifact {
  artifact_type: string;
  artifact_ref?: string | null;
  artifact_payload?: Record<string, unknown>;
}

export interface Completion {
  result?: Record<string, unknown> | undefined;
  artifacts?: Artifact[] | undefined;
}

/** The context of a handler, which it gets besides its payload. */
export interface JobContext {
  jobId: string;
  /** The number of the attempt, from 1. */
  attempt: number;
  /** Whether the job fails when this attempt does. */
  isLastAttempt: boolean;
  executionMode: 'async' | 'sync' | 'shadow';
  requestId: string | null;
  createdBy: Creator | null;
  /** Raised when the job is cancelled, its lease is lost, or the worker must stop. */
  signal: AbortSignal;
  log: Logger;
  /** Shows how far the job is. Resolves to false when the lease is lost, and nothing was written. */
  progress(value: Record<string, unknown>): Promise<boolean>;
  /**
   * Leaves an artifact in the handler's own transaction before the job is over, together with the part of the work that
   * it tells of: what a cancelled job did can then be seen, and the next attempt can go on from there. The next artifact
   * of the same type takes its place, be it a checkpoint or of the completion. Throws, and so rolls back, when the lease
   * is lost.
   */
  checkpoint(tx: Transaction, artifact: Artifact): Promise<void>;
  /** Returns the last checkpoint of this type, of whichever attempt. */
  lastCheckpoint(artifactType: string): Promise<Record<string, unknown> | undefined>;
  /**
   * Completes the job inside the handler's own transaction, so that its effects and its completion commit together.
   * Throws, and so rolls back, when the lease is lost.
   */
  complete(tx: Transaction, completion?: Completion): Promise<void>;
}

export type JobHandler<Payload> = (payload: Payload, context: JobContext) => Promise<Completion | undefined>;

/** A kind of work. Submitting checks the payload against the schema; so does running, for jobs of earlier releases. */
export interface JobType<Payload = unknown> {
  type: string;
  queue: string;
  payload: z.ZodType<Payload>;
  retry: RetryPolicy;
  /** Set for types that anybody may submit over the API; the role is the least that may. */
  submittedBy?: Role;
  /** The fields of the payload that are shown to the creator of the job and to nobody else, not even to admins. */
  creatorsFields?: readonly string[];
  /** Whether its handler knows what to do in execution mode shadow. */
  hasShadow?: true;
  /** Called when the job is submitted over the API. Throws when this caller may not have it done. */
  authorise?: (payload: Payload, principal: Principal) => Promise<void>;
  /**
   * Called in the transaction in which an operator queues a failed or cancelled job again, so that what the job works on
   * is put back to work with it. Returns a sentence when there is nothing for the job to do: it then stays as it is.
   */
  prepareRequeue?: (tx: Transaction, payload: Payload, jobId: string) => Promise<string | undefined>;
  /**
   * Called in the transaction in which a job ends, however it ends: it succeeded, failed, was cancelled, or was interrupted
   * once too often. As long as it throws, the job is not over.
   */
  onEnded?: (tx: Transaction, job: EndedJob<Payload>) => Promise<void>;
  /** Returns the address that the job fetches, for those who may see its content; null when there is none. */
  sourceUrl?: (payload: Payload) => Promise<string | null>;
  handler: JobHandler<Payload>;
}

/** Defines a job type. The options are its fields; queue and retry policy have defaults. */
export function defineJobType<Payload>(
  type: string,
  options: Omit<JobType<Payload>, 'type' | 'queue' | 'retry'> & { queue?: string; retry?: RetryPolicy },
): JobType<Payload> {
  return { type, queue: DEFAULT_QUEUE, retry: DEFAULT_RETRY, ...options };
}

export type JobTypes = ReadonlyMap<string, JobType>;

/** Each type's handler takes its own payload and nothing else, which the map cannot say; running parses it first. */
// biome-ignore lint/suspicious/noExplicitAny: job types of every payload
export function collectJobTypes(types: JobType<any>[]): JobTypes {
  const known = new Map<string, JobType>();
  for (const type of types) {
    if (known.has(type.type)) throw new Error(`The job type ${type.type} is registered twice.`);
    known.set(type.type, type);
  }
  return known;
}
