import {
  BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS,
  BACKFILL_PENDING_COUNT_GUARDRAIL,
} from '../../../contract/backfill-guardrails.ts';
import { NexusError } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/identity.ts';
import {
  type BackfillHealth,
  type BackfillKey,
  type BackfillStatus,
  backfillKey,
  type RequeuedBackfillJob,
} from '../../../contract/libraries.ts';
import type { ListQuery } from '../../../contract/wire.ts';
import { type Actor, recordAudit } from '../../../platform/audit/audit.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import type { EndedJob } from '../../../platform/jobs/job-type.ts';
import { type Completion, defineJobType, type JobContext } from '../../../platform/jobs/job-type.ts';
import { enqueue } from '../../../platform/jobs/submit/enqueue.ts';
import { PermanentError, retryDelay } from '../../../platform/work/retry-policy.ts';
import { emitBackfillEvent } from '../events.ts';
import { lockSource } from '../store.ts';
import * as backfills from './backfill-store.ts';
import { materialiseBatch } from './closure.ts';

export const BACKFILL_RETRY_DELAYS_SECONDS = [60, 300, 900, 3600, 21600] as const;
const BACKFILL_MAX_ATTEMPTS = 5;
const INVALID_TUPLE = 'E_BACKFILL_INVALID_TUPLE';

/** Each batch holds the library's lock for a moment; 10,000 rows take about a quarter of a second. */
const BATCH_SIZE = 10_000;

/** The part of a job's context that a run needs. */
export type RunContext = Pick<JobContext, 'jobId' | 'requestId' | 'signal' | 'complete'>;

export type Backfill = ReturnType<typeof createBackfill>;

/** Fills the default library of a new member with the media of the library they joined. The states: backfill-store.ts. */
export function createBackfill({ sql, batchSize = BATCH_SIZE }: { sql: Database; batchSize?: number }) {
  /** Retries belong to the row, so the job has one attempt. It ends together with its row, however it ends. */
  const type = defineJobType('backfill_default_library_closure_job', {
    queue: 'ingest',
    payload: backfillKey,
    handler: run,
    prepareRequeue: takeUpAgain,
    onEnded,
  });

  /** Enqueues the job of a pending row, in the transaction that makes it pending. */
  async function enqueueJob(
    tx: Transaction,
    key: BackfillKey,
    { requestId, delaySeconds }: { requestId?: string | undefined; delaySeconds?: number },
  ): Promise<void> {
    const { id } = await enqueue(tx, { type, payload: key, maxAttempts: 1, delaySeconds, requestId });
    await backfills.setJob(tx, key, id);
  }

  async function run(key: BackfillKey, context: RunContext): Promise<Completion | undefined> {
    if (!(await backfills.claimBackfill(sql, key, context.jobId))) return skipped('not pending');
    if (!(await backfills.isValidTuple(sql, key))) {
      throw new PermanentError(
        INVALID_TUPLE,
        "The backfill's default library is not the person's own, or its source is a default library.",
      );
    }
    return materialise(key, context);
  }

  /** Materialises batch by batch, each in its own transaction; the last one completes the row and the job. */
  async function materialise(key: BackfillKey, context: RunContext): Promise<Completion | undefined> {
    let after: string | null = null;
    let count = 0;
    for (;;) {
      context.signal.throwIfAborted();
      const outcome = await transaction(sql, async (tx) => {
        const batch = await writeBatch(tx, key, context.jobId, after);
        if (batch?.lastMediaId === null) {
          await backfills.markCompleted(tx, key, context.jobId);
          await emitBackfillEvent(tx, 'backfill.completed', key, context.requestId ?? undefined);
          await context.complete(tx, { result: { outcome: 'completed', media_count: count + batch.count } });
        }
        return batch;
      });
      if (!outcome) return skipped('no longer ours');
      if (outcome.lastMediaId === null) return undefined;
      after = outcome.lastMediaId;
      count += outcome.count;
    }
  }

  /** Undefined when the row is no longer this job's. Without the membership there is nothing to write. */
  async function writeBatch(tx: Transaction, key: BackfillKey, jobId: string, after: string | null) {
    if (!(await backfills.lockRunning(tx, key, jobId))) return undefined;
    if (!(await backfills.lockMembership(tx, key))) return { count: 0, lastMediaId: null };
    await lockSource(tx, key.source_library_id);
    return materialiseBatch(tx, key, after, batchSize);
  }

  /** Counts the attempt of a job that failed; below the maximum, the next one is enqueued at once, with its delay. */
  async function onEnded(
    tx: Transaction,
    { job_id, payload: key, status, request_id, ...job }: EndedJob<BackfillKey>,
  ): Promise<void> {
    if (status === 'succeeded') return;
    const isCancelled = status === 'cancelled';
    const error_code = isCancelled ? 'E_CANCELLED' : codeOf(job.error_code);
    const attempts = await backfills.markFailed(tx, key, job_id, { error_code, isCounted: !isCancelled });
    if (attempts === undefined) return;
    const requestId = request_id ?? undefined;
    if (isCancelled || attempts >= BACKFILL_MAX_ATTEMPTS || error_code === INVALID_TUPLE) {
      return emitBackfillEvent(tx, 'backfill.failed', { ...key, attempts, error_code }, requestId);
    }
    const delaySeconds = retryDelay({ delays: BACKFILL_RETRY_DELAYS_SECONDS }, attempts);
    await backfills.resetForRetry(tx, key, delaySeconds);
    await enqueueJob(tx, key, { requestId, delaySeconds });
  }

  /** Puts the row back to work for a job that an operator queues again. Returns a sentence when it has nothing to do. */
  async function takeUpAgain(tx: Transaction, key: BackfillKey, jobId: string): Promise<string | undefined> {
    if (!(await backfills.lockBackfill(tx, key)))
      return 'The membership of this backfill does not exist any more.';
    if (!(await backfills.resetForRequeue(tx, key, jobId)))
      return 'The backfill is done, or another job works on it.';
    await backfills.setJob(tx, key, jobId);
    return undefined;
  }

  async function health(): Promise<BackfillHealth> {
    const backlog = await backfills.measureBacklog(sql);
    const degraded =
      backlog.pending_age_p95_seconds > BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS ||
      backlog.pending_count > BACKFILL_PENDING_COUNT_GUARDRAIL;
    return { ...backlog, degraded };
  }

  return {
    type,
    run,
    health,

    /** Starts a backfill in the transaction of its cause, whatever became of an earlier one. */
    async start(tx: Transaction, key: BackfillKey, requestId?: string): Promise<void> {
      await backfills.upsertPending(tx, key);
      await enqueueJob(tx, key, { requestId });
    },

    /** Restarts a backfill in any state but running. Of a running one nothing changes. */
    async requeue(key: BackfillKey, actor: Actor): Promise<RequeuedBackfillJob> {
      const requeue = async (tx: Transaction) => {
        await backfills.lockBackfill(tx, key);
        const isReset = await backfills.resetForRequeue(tx, key);
        if (isReset) {
          await enqueueJob(tx, key, { requestId: actor.requestId });
          await recordAudit(tx, { action: 'backfill.requeued', actor, details: { ...key } });
        }
        const job = await backfills.findBackfill(tx, key);
        if (!job) throw new NexusError('E_NOT_FOUND', 'There is no such backfill.');
        return { ...job, idempotent: !isReset, enqueue_dispatched: isReset };
      };
      return transaction(sql, requeue, actor);
    },

    async list(query: ListQuery & { status?: BackfillStatus | undefined }, principal: Principal) {
      const last = decodeCursor(query.cursor, backfills.backfillCursor);
      const wanted = { status: query.status, last, limit: query.limit + 1 };
      const rows = await backfills.listBackfills(sql, principal, wanted);
      return cutByCursor(rows, query.limit);
    },
  };
}

function skipped(reason: string): Completion {
  return { result: { outcome: 'skipped', reason } };
}

/** Codes of Nexus are kept; those of others, the database's among them, would mean nothing to whoever reads the row. */
function codeOf(code: string | null): string {
  return code?.startsWith('E_') ? code : 'E_BACKFILL_FAILED';
}
