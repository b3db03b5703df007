import { afterAll } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../src/platform/database/database.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { createEnqueue, type EnqueueOptions } from '../../src/platform/jobs/enqueue.ts';
import { jobStates } from '../../src/platform/jobs/job-state.ts';
import {
  collectJobTypes,
  defineJobType,
  type JobHandler,
  type JobType,
} from '../../src/platform/jobs/job-type.ts';
import type { RetryPolicy } from '../../src/platform/jobs/retry-policy.ts';
import { createWakeUp } from '../../src/platform/jobs/wake-up.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/platform/jobs/worker.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
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

/** The job engine on the file's database. Tests start workers with `work`; they are stopped after the file. */
export function useJobs(database: TestDatabase, { listen = true }: { listen?: boolean } = {}) {
  const { sql } = database;
  const wakeUp = createWakeUp({ sql, log: silentLog, listenAt: listen ? database.target : undefined });
  const { enqueue, enqueueMany } = createEnqueue(wakeUp);
  const workers: Worker[] = [];
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await wakeUp.close();
  });

  return {
    wakeUp,
    enqueueMany,
    enqueueIn: enqueue,
    enqueue: (type: JobType<AnyPayload>, payload: AnyPayload = {}, options: EnqueueOptions = {}) =>
      transaction(sql, (tx) => enqueue(tx, { type, payload, ...options })),
    async work(types: JobType<AnyPayload>[], options: Partial<WorkerOptions> = {}): Promise<Worker> {
      const worker = await startWorker({
        sql,
        wakeUp,
        log: silentLog,
        types: collectJobTypes(types),
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

/** Reads a job with its state and attempts. */
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
