import { afterAll, afterEach, beforeEach } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../src/platform/database/database.ts';
import { createListener } from '../../src/platform/database/listener.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { jobStates } from '../../src/platform/jobs/job-state.ts';
import {
  collectJobTypes,
  defineJobType,
  type JobHandler,
  type JobType,
} from '../../src/platform/jobs/job-type.ts';
import { createEndings } from '../../src/platform/jobs/settle/endings.ts';
import { type EnqueueOptions, enqueue, enqueueMany } from '../../src/platform/jobs/submit/enqueue.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/platform/jobs/worker.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { register } from '../../src/platform/work/registration.ts';
import type { RetryPolicy } from '../../src/platform/work/retry-policy.ts';
import type { WorkSource } from '../../src/platform/work/source.ts';
import type { TestDatabase } from './database.ts';

export const silentLog = createLogger({ level: 'silent', format: 'json' });
/** The payload of periodic work. */
export const anyNothing = z.strictObject({});
const anyPayload = z.looseObject({});
type AnyPayload = z.infer<typeof anyPayload>;

/** A job type made for one test. */
export function jobType(
  type: string,
  handler: JobHandler<AnyPayload>,
  options: { retry?: RetryPolicy; queue?: string } = {},
): JobType<AnyPayload> {
  return defineJobType(type, { payload: anyPayload, handler, ...options });
}

/** The job engine on the file's database. A worker that a test starts with `work` ends with the test. */
export function useJobs(database: TestDatabase, { listen = true }: { listen?: boolean } = {}) {
  const { sql } = database;
  const listener = createListener({ sql, log: silentLog, listenAt: listen ? database.target : undefined });
  const workers: Worker[] = [];
  let before = 0;
  const stopFrom = async (first: number) => {
    await Promise.all(workers.splice(first).map((worker) => worker.stop()));
  };
  beforeEach(() => {
    before = workers.length;
  });
  // Otherwise the worker of a failed test would claim the jobs of the next tests.
  afterEach(() => stopFrom(before));
  afterAll(async () => {
    await stopFrom(0);
    await listener.close();
  });

  return {
    listener,
    enqueueMany,
    enqueueIn: enqueue,
    enqueue: (type: JobType<AnyPayload>, payload: AnyPayload = {}, options: EnqueueOptions = {}) =>
      transaction(sql, (tx) => enqueue(tx, { type, payload, ...options })),
    async work(types: JobType<AnyPayload>[], options: Partial<WorkerOptions> = {}): Promise<Worker> {
      const known = collectJobTypes(types);
      const worker = await startWorker({
        sql,
        listener,
        log: silentLog,
        types: known,
        endings: createEndings(known),
        queues: ['default'],
        concurrency: 10,
        leaseSeconds: 30,
        pollSeconds: 60,
        graceSeconds: 10,
        ...options,
      });
      workers.push(worker);
      return worker;
    },
  };
}

/** Runs a source of work, with a registration of its own, until it is stopped. */
export async function startSource(
  database: TestDatabase,
  source: WorkSource,
  { sql = database.sql, listen = true, pollSeconds = 3600, leaseSeconds = 30 } = {},
) {
  const listener = createListener({ sql, log: silentLog, listenAt: listen ? database.target : undefined });
  const registration = await register({
    sql,
    log: silentLog,
    queues: ['default'],
    concurrency: 1,
    leaseSeconds,
    runningCount: () => 0,
  });
  const running = source.start({ registration, listener, leaseSeconds, pollSeconds });
  return {
    wake: running.wake,
    registration,
    async stop(graceSeconds = 0) {
      await registration.close(await running.stop(graceSeconds));
      await listener.close();
    },
  };
}

export type StartedSource = Awaited<ReturnType<typeof startSource>>;

/** A job as the API sees it, with its attempts. */
export async function readJob(sql: Database, id: string) {
  const [job] = await sql`select * from (${jobStates(sql)}) as job where id = ${id}`;
  const attempts = await sql`select * from job_attempts where job_id = ${id} order by attempt_number`;
  return { ...job, attempts: [...attempts] } as Record<string, unknown> & {
    attempts: Record<string, unknown>[];
  };
}

/** A gate that handlers wait at and the test opens. */
export function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
