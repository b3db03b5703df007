import { z } from 'zod';
import { NexusError } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/identity.ts';
import type {
  BackfillHealth,
  BackfillKey,
  BackfillStatus,
  ListedBackfillJob,
  RequeuedBackfillJob,
} from '../../../contract/libraries.ts';
import {
  BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS,
  BACKFILL_PENDING_COUNT_GUARDRAIL,
} from '../../../contract/libraries.ts';
import type { ListQuery, Page } from '../../../contract/wire.ts';
import { type Actor, recordAudit } from '../../../platform/audit/audit.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import type { Completion, JobContext } from '../../../platform/jobs/job-type.ts';
import { PermanentError } from '../../../platform/jobs/retry-policy.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { emitBackfillEvent } from '../events.ts';
import { lockSource } from '../store.ts';
import * as backfills from './backfill-store.ts';
import { materialiseBatch } from './closure.ts';

export const BACKFILL_RETRY_DELAYS_SECONDS = [60, 300, 900, 3600, 21600] as const;
export const BACKFILL_MAX_ATTEMPTS = 5;

/** Each batch holds the library's lock for a moment; 10,000 rows take about a quarter of a second. */
const BATCH_SIZE = 10_000;
/** What is beyond waits for the next sweep. */
const SWEPT_AT_ONCE = 10_000;

export interface DispatchOptions {
  requestId?: string | undefined;
  delaySeconds?: number | undefined;
}

/** Puts a backfill on its way to a worker, and may fail at that. */
export type SendBackfill = (key: BackfillKey, options: DispatchOptions) => Promise<void>;

export interface BackfillDependencies {
  sql: Database;
  log: Logger;
  send: SendBackfill;
  batchSize?: number;
}

/** What a run needs of the job that it is. */
export type RunContext = Pick<JobContext, 'jobId' | 'requestId' | 'signal' | 'log' | 'complete'>;

export type Backfill = ReturnType<typeof createBackfill>;

const position = z.object({
  created_us: z.int(),
  default_library_id: z.uuid(),
  source_library_id: z.uuid(),
});

/** Fills the default library of a new member with what the library they joined holds. The states: backfill-store.ts. */
export function createBackfill({ sql, log, send, batchSize = BATCH_SIZE }: BackfillDependencies) {
  /** False when it failed. The row is committed and pending, so the sweep, or an operator, sends it again. */
  async function dispatch(key: BackfillKey, options: DispatchOptions = {}): Promise<boolean> {
    try {
      await send(key, options);
      return true;
    } catch (error) {
      log.warn({ ...key, err: error }, 'a backfill could not be dispatched; the sweep will do it');
      return false;
    }
  }

  async function run(key: BackfillKey, context: RunContext): Promise<Completion | undefined> {
    const claim = { ...key, claim_id: newId() };
    if (!(await backfills.claimBackfill(sql, claim, context.jobId))) return skipped('not pending');
    try {
      await requireValidTuple(claim);
      return await materialise(claim, context);
    } catch (error) {
      // A job that was interrupted runs again and takes its row up; or it is over, and the sweep takes it back.
      if (!context.signal.aborted) await failRun(claim, error, context.requestId ?? undefined);
      throw error;
    }
  }

  async function requireValidTuple(key: BackfillKey): Promise<void> {
    if (await backfills.isValidTuple(sql, key)) return;
    throw new PermanentError(
      'E_BACKFILL_INVALID_TUPLE',
      "The backfill's default library is not the person's own, or its source is a default library.",
    );
  }

  /** Batch by batch, each in its own transaction; the last one completes the row and the job with it. */
  async function materialise(claim: backfills.Claim, context: RunContext): Promise<Completion | undefined> {
    let after: string | null = null;
    let count = 0;
    for (;;) {
      context.signal.throwIfAborted();
      const outcome = await transaction(sql, async (tx) => {
        const batch = await writeBatch(tx, claim, after);
        if (batch?.lastMediaId === null) {
          await backfills.markCompleted(tx, claim);
          await emitBackfillEvent(tx, 'backfill.completed', keyOf(claim), context.requestId ?? undefined);
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

  /** Undefined when the row is no longer this run's. Without the membership there is nothing to write. */
  async function writeBatch(tx: Transaction, claim: backfills.Claim, after: string | null) {
    if (!(await backfills.lockClaimed(tx, claim))) return undefined;
    if (!(await backfills.lockMembership(tx, claim))) return { count: 0, lastMediaId: null };
    await lockSource(tx, claim.source_library_id);
    return materialiseBatch(tx, claim, after, batchSize);
  }

  /** The attempt is counted first; below the maximum, the row waits for its next one. */
  async function failRun(
    claim: backfills.Claim,
    error: unknown,
    requestId: string | undefined,
  ): Promise<void> {
    const delaySeconds = await transaction(sql, async (tx) => {
      const error_code = codeOf(error);
      const attempts = await backfills.markFailed(tx, claim, error_code);
      if (attempts === undefined) return undefined;
      if (attempts >= BACKFILL_MAX_ATTEMPTS || error instanceof PermanentError) {
        await emitBackfillEvent(tx, 'backfill.failed', { ...keyOf(claim), attempts, error_code }, requestId);
        return undefined;
      }
      const delay = BACKFILL_RETRY_DELAYS_SECONDS[attempts - 1];
      if (delay !== undefined) await backfills.resetForRetry(tx, claim, delay);
      return delay;
    });
    if (delaySeconds !== undefined) await dispatch(keyOf(claim), { requestId, delaySeconds });
  }

  async function health(): Promise<BackfillHealth> {
    const backlog = await backfills.measureBacklog(sql);
    const degraded =
      backlog.pending_age_p95_seconds > BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS ||
      backlog.pending_count > BACKFILL_PENDING_COUNT_GUARDRAIL;
    return { ...backlog, degraded };
  }

  return {
    dispatch,
    run,
    health,

    /** Takes back what dead workers left running, and sends what is pending and was never, or in vain, sent. */
    async sweep(signal: AbortSignal): Promise<{ recovered: number; dispatched: number }> {
      let recovered = 0;
      for (const claim of await backfills.listAbandoned(sql, SWEPT_AT_ONCE)) {
        signal.throwIfAborted();
        await failRun(claim, new WorkerDied(), undefined);
        recovered += 1;
      }
      let dispatched = 0;
      for (const { wait_seconds, ...key } of await backfills.listUndispatched(sql, SWEPT_AT_ONCE)) {
        signal.throwIfAborted();
        if (await dispatch(key, { delaySeconds: wait_seconds })) dispatched += 1;
      }
      const backlog = await health();
      if (backlog.degraded) log.warn(backlog, 'the backlog of backfills is beyond its guardrails');
      return { recovered, dispatched };
    },

    /** From any state but running back to the beginning. A repeated requeue of a running one changes nothing. */
    async requeue(key: BackfillKey, actor: Actor): Promise<RequeuedBackfillJob> {
      const { job, isReset } = await transaction(sql, async (tx) => {
        await backfills.lockBackfill(tx, key);
        const isReset = await backfills.resetForRequeue(tx, key);
        const job = await backfills.findBackfill(tx, key);
        if (!job) throw new NexusError('E_NOT_FOUND', 'There is no such backfill.');
        if (isReset) await recordAudit(tx, { action: 'backfill.requeued', actor, details: { ...key } });
        return { job, isReset };
      });
      const enqueue_dispatched = isReset && (await dispatch(key, { requestId: actor.requestId }));
      return { ...job, idempotent: !isReset, enqueue_dispatched };
    },

    async list(
      query: ListQuery & { status?: BackfillStatus | undefined },
      principal: Principal,
    ): Promise<{ backfill_jobs: ListedBackfillJob[]; page: Page }> {
      const last = decodeCursor(query.cursor, position);
      const rows = await backfills.listBackfills(sql, principal, query.status, last, query.limit + 1);
      const { rows: backfill_jobs, page } = cutByCursor(rows, query.limit);
      return { backfill_jobs, page };
    },
  };
}

function keyOf({ claim_id: _, ...key }: backfills.Claim): BackfillKey {
  return key;
}

function skipped(reason: string): Completion {
  return { result: { outcome: 'skipped', reason } };
}

class WorkerDied extends Error {
  readonly code = 'E_LEASE_EXPIRED';
}

/** Codes of Nexus are kept; those of others, the database's among them, would mean nothing to whoever reads the row. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('E_') ? code : 'E_BACKFILL_FAILED';
}
