import type { Database, Transaction } from '../../database/database.ts';
import { transaction } from '../../database/transaction.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { JobType } from '../job-type.ts';
import { enqueueMany } from '../submit/enqueue.ts';

/** Work that recurs: a job type without payload, and how often a job of it is queued. */
export interface Periodic {
  type: JobType<Record<string, never>>;
  everySeconds: number;
}

export type Schedule = ReturnType<typeof createSchedule>;

const RETRY_MS = 5000;
/** The schedule is read this often even when nothing is due, because another process may have brought a time forward. */
const LONGEST_WAIT_MS = 60_000;

export function createSchedule({ sql, log, periodic }: { sql: Database; log: Logger; periodic: Periodic[] }) {
  const byName = new Map(periodic.map((work) => [work.type.type, work]));
  const names = [...byName.keys()];
  const intervals = periodic.map(({ everySeconds }) => everySeconds);

  /** Adds new periodic work to the schedule. An interval that was shortened takes effect at once. */
  async function declare(): Promise<void> {
    await sql`
      insert into job_schedules (name)
      select name from unnest(${names}::text[]) as declared (name)
      on conflict do nothing`;
    await sql`
      update job_schedules
      set next_run_at = now() + declared.every * interval '1 second'
      from unnest(${names}::text[], ${intervals}::float8[]) as declared (name, every)
      where job_schedules.name = declared.name
        and next_run_at > now() + declared.every * interval '1 second'`;
  }

  /**
   * Moves on the times that have come and queues a job for each, in one transaction: of several processes at once, one
   * does it. While a job is not over, no second one is queued, and intervals that passed meanwhile count as one. Of the
   * jobs that succeeded only the last one is kept, so that periodic work does not hide the jobs that people look for.
   */
  function queueDue(): Promise<void> {
    return transaction(sql, async (tx) => {
      const due = await tx<{ name: string; last_job_id: string | null; is_under_way: boolean }[]>`
        update job_schedules
        set last_run_at = now(),
            next_run_at = next_run_at + declared.every * interval '1 second'
              * (1 + floor(extract(epoch from now() - next_run_at) / declared.every))
        from unnest(${names}::text[], ${intervals}::float8[]) as declared (name, every)
        where job_schedules.name = declared.name
          and next_run_at <= now()
        returning
          job_schedules.name,
          job_schedules.last_job_id,
          exists (select from job_queue where job_id = job_schedules.last_job_id) as is_under_way`;
      const over = due.filter(({ is_under_way }) => !is_under_way);
      const idle = over.map(({ name }) => byName.get(name) as Periodic);
      if (idle.length === 0) return;
      const succeeded = await tx<{ job_id: string }[]>`
        select job_id from job_attempts
        where job_id = any(${over.map(({ last_job_id }) => last_job_id)}) and status = 'succeeded'`;
      await deleteJobs(
        tx,
        succeeded.map(({ job_id }) => job_id),
      );
      const queued = await enqueueMany(
        tx,
        idle.map(({ type }) => ({ type: type as JobType, payload: {}, priority: 0 })),
      );
      await tx`
        update job_schedules
        set last_job_id = queued.job_id
        from unnest(
          ${idle.map(({ type }) => type.type)}::text[],
          ${queued.map(({ id }) => id)}::uuid[]
        ) as queued (name, job_id)
        where job_schedules.name = queued.name`;
    });
  }

  async function untilNext(): Promise<number> {
    const [row] = await sql<[{ wait_ms: number | null }]>`
      select extract(epoch from min(next_run_at) - now())::float8 * 1000 as wait_ms
      from job_schedules
      where name = any(${names})`;
    return Math.min(Math.max(row.wait_ms ?? LONGEST_WAIT_MS, 0) + 1, LONGEST_WAIT_MS);
  }

  /** Queues periodic work whenever it is due, until stopped. Any number of processes may do so at once. */
  function keep(): { stop(): Promise<void> } {
    let timer: NodeJS.Timeout | undefined;
    let isStopped = names.length === 0;
    let isDeclared = false;
    let turning: Promise<void> | undefined;

    async function turn(): Promise<void> {
      let wait = RETRY_MS;
      try {
        if (!isDeclared) await declare();
        isDeclared = true;
        await queueDue();
        wait = await untilNext();
      } catch (error) {
        log.warn({ err: error }, 'queueing periodic work failed; trying again');
      }
      if (!isStopped) timer = setTimeout(start, wait);
    }

    function start(): void {
      turning = turn();
    }

    if (!isStopped) start();
    return {
      async stop() {
        isStopped = true;
        clearTimeout(timer);
        await turning;
      },
    };
  }

  return { keep };
}

/** Deletes jobs that are over, with everything that is kept of them. */
export async function deleteJobs(tx: Transaction, ids: string[]): Promise<void> {
  await tx`
    with artifacts as (delete from job_artifacts where job_id = any(${ids})),
    attempts as (delete from job_attempts where job_id = any(${ids}))
    delete from jobs where id = any(${ids})`;
}
