import type { Database } from '../../database/database.ts';
import type { Listener } from '../../database/listener.ts';
import type { LeasedJob } from '../claim/claim.ts';
import type { Outcome } from '../settle/outcome.ts';
import { JOBS_CANCELLED } from '../topics.ts';
import { runJob } from './run-job.ts';
import { type Interruption, type RunnerDependencies, RunningJob } from './running-job.ts';

/** Runs attempts, and interrupts those that were cancelled or whose lease is lost. */
export interface Executor {
  run(job: LeasedJob): Promise<Outcome | undefined>;
  interruptAll(why: Interruption): void;
  close(): void;
}

/** Called for every attempt that has ended here, however it ended. */
export type ObserveAttempt = (attempt: { job_type: string; waitedMs: number; runtimeMs: number }) => void;

export interface ExecutorOptions extends RunnerDependencies {
  listener: Listener;
  observe?: ObserveAttempt | undefined;
}

/** How often running jobs are checked for having been cancelled or lost, beside the notifications. */
const CHECK_MS = 1000;

export function createExecutor(options: ExecutorOptions): Executor {
  const { sql, log, listener, observe } = options;
  const running = new Map<string, RunningJob>();

  async function checkRunning(): Promise<void> {
    const held = [...running.values()].filter(({ startedAt }) => performance.now() - startedAt > CHECK_MS);
    if (held.length === 0) return;
    for (const { id, is_cancelled } of await findLost(sql, held))
      running.get(id)?.interrupt(is_cancelled ? 'cancelled' : 'lease lost');
  }

  const checks = setInterval(() => {
    checkRunning().catch((error) => log.warn({ err: error }, 'checking running jobs failed; trying again'));
  }, CHECK_MS);
  const unsubscribe = listener.on(JOBS_CANCELLED, (ids) => {
    if (ids === 'any') return;
    for (const id of ids) running.get(id)?.interrupt('cancelled');
  });

  return {
    async run(job) {
      const attempt = new RunningJob(job, options);
      running.set(job.id, attempt);
      const outcome = await runJob(attempt, options);
      // After a lost lease, the next attempt may already run here.
      if (running.get(job.id) === attempt) running.delete(job.id);
      const runtimeMs = performance.now() - attempt.startedAt;
      observe?.({ job_type: job.job_type, waitedMs: job.waited_ms, runtimeMs });
      return outcome;
    },
    interruptAll(why) {
      for (const attempt of running.values()) attempt.interrupt(why);
    },
    close() {
      clearInterval(checks);
      unsubscribe();
    },
  };
}

/** Finds the attempts whose lease is lost, and whether their jobs were cancelled. */
async function findLost(sql: Database, held: RunningJob[]) {
  return sql<{ id: string; is_cancelled: boolean }[]>`
    select held.id, jobs.cancelled_at is not null as is_cancelled
    from unnest(
      ${held.map(({ job }) => job.id)}::uuid[],
      ${held.map(({ job }) => job.lease_token)}::uuid[]
    ) as held (id, token)
    left join job_queue on job_queue.job_id = held.id and job_queue.lease_token = held.token
    left join jobs on jobs.id = held.id
    where job_queue.job_id is null`;
}
