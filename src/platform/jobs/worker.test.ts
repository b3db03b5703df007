import { describe, expect, test, vi } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { gate, jobType, readJob, useJobs } from '../../../test/support/jobs.ts';
import { transaction } from '../database/transaction.ts';
import { PermanentError, RetryLater } from '../work/retry-policy.ts';
import { createControl } from './control/control.ts';
import { JOBS_QUEUED } from './submit/enqueue.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const control = createControl(sql);
const actor = { name: 'test' };

const untilStatus = (id: string, status: string) =>
  vi.waitFor(async () => {
    const job = await readJob(sql, id);
    expect(job.status).toBe(status);
    return job;
  }, 30_000);

/** Lets a waiting job be due now, in place of waiting for its time. */
async function makeDue(id: string): Promise<void> {
  await transaction(sql, async (tx) => {
    await tx`update job_queue set due_at = now() where job_id = ${id}`;
    tx.notifyAfterCommit(JOBS_QUEUED, ['default']);
  });
}

describe('a job that succeeds', () => {
  test('ends succeeded with its result and one attempt', async () => {
    const double = jobType('double', async ({ n }) => ({ result: { doubled: Number(n) * 2 } }));
    const worker = await jobs.work([double]);
    const { id } = await jobs.enqueue(double, { n: 21 });
    const job = await untilStatus(id, 'succeeded');
    expect(job).toMatchObject({
      attempt_count: 1,
      result: { doubled: 42 },
      error_text: null,
      lease_owner: null,
    });
    expect(job.attempts).toMatchObject([{ attempt_number: 1, status: 'succeeded', worker: worker.name }]);
  });

  test('can complete in its own transaction, so that effect and completion commit together', async () => {
    await sql`create table effects (job_id uuid primary key)`;
    const effect = jobType('effect', async (_payload, context) => {
      await transaction(sql, async (tx) => {
        await tx`insert into effects values (${context.jobId})`;
        await context.complete(tx, {
          result: { done: true },
          artifacts: [{ artifact_type: 'effect_result' }],
        });
      });
      return undefined;
    });
    await jobs.work([effect]);
    const { id } = await jobs.enqueue(effect);
    const job = await untilStatus(id, 'succeeded');
    expect(job.result).toEqual({ done: true });
    expect(await sql`select from effects where job_id = ${id}`).toHaveLength(1);
    expect(await sql`select artifact_type from job_artifacts where job_id = ${id}`).toHaveLength(1);
  });
});

describe('a job that fails', () => {
  const failing = jobType('failing', async () => {
    throw new Error('it did not work');
  });

  test('is tried again after exactly 2 and 10 seconds, and has then failed', async () => {
    await jobs.work([failing]);
    const { id } = await jobs.enqueue(failing);
    for (const [attempt, seconds] of [
      [1, 2],
      [2, 10],
    ] as const) {
      const job = await untilStatus(id, 'retry_wait');
      expect(job.attempt_count).toBe(attempt);
      const [row] = await sql`
        select extract(epoch from job_queue.due_at - max(finished_at))::float8 as delay
        from job_queue join job_attempts using (job_id) where job_id = ${id} group by job_queue.due_at`;
      expect(row?.delay).toBe(seconds);
      await makeDue(id);
      await vi.waitFor(
        async () => expect((await readJob(sql, id)).attempts).toHaveLength(attempt + 1),
        30_000,
      );
    }
    const job = await untilStatus(id, 'failed');
    expect(job.attempts.map(({ status, error_text }) => [status, error_text])).toEqual(
      Array(3).fill(['failed', 'it did not work']),
    );
  });

  test('with max_attempts 1 has failed at once', async () => {
    await jobs.work([failing]);
    const { id } = await jobs.enqueue(failing, {}, { maxAttempts: 1 });
    expect((await untilStatus(id, 'failed')).attempt_count).toBe(1);
  });

  test('for good has failed at once, under its code', async () => {
    const hopeless = jobType('hopeless', async () => {
      throw new PermanentError('E_HOPELESS', 'No retry can mend this.');
    });
    await jobs.work([hopeless]);
    const { id } = await jobs.enqueue(hopeless);
    expect(await untilStatus(id, 'failed')).toMatchObject({ attempt_count: 1, error_code: 'E_HOPELESS' });
  });

  test('may name its own delay', async () => {
    const busy = jobType('busy', async () => {
      throw new RetryLater(77, 'E_BUSY', 'Come back later.');
    });
    await jobs.work([busy]);
    const { id } = await jobs.enqueue(busy);
    await untilStatus(id, 'retry_wait');
    const [row] = await sql`
      select extract(epoch from job_queue.due_at - max(finished_at))::float8 as delay
        from job_queue join job_attempts using (job_id) where job_id = ${id} group by job_queue.due_at`;
    expect(row?.delay).toBe(77);
  });

  test.each([0, 0.2])('is tried again after %d seconds, without polling', async (delay) => {
    const second = jobType(
      'second',
      async (_payload, { attempt }) => {
        if (attempt === 1) throw new Error('not yet');
      },
      { retry: { delays: [delay] } },
    );
    await jobs.work([second], { pollSeconds: 3600 });
    const { id } = await jobs.enqueue(second);
    await untilStatus(id, 'succeeded');
  });

  test('because its payload no longer fits has failed at once', async () => {
    const { id } = await jobs.enqueue(failing);
    await sql`update jobs set payload = '"not an object"' where id = ${id}`;
    await jobs.work([failing]);
    expect(await untilStatus(id, 'failed')).toMatchObject({
      error_code: 'E_INVALID_PAYLOAD',
      attempt_count: 1,
    });
  });
});

describe('a job that the database fails', () => {
  const unlucky = (failures: number) => {
    let left = failures;
    return jobType('unlucky', async () => {
      left -= 1;
      if (left < 0) return undefined;
      const [victim] = database.twoConnections();
      await victim`select pg_terminate_backend(pg_backend_pid())`;
      return undefined;
    });
  };

  test('is tried again at the cost of no attempt, however often that happens', async () => {
    const type = unlucky(5);
    const { id } = await jobs.enqueue(type, {}, { maxAttempts: 1 });
    await jobs.work([type]);
    const job = await vi.waitFor(async () => {
      await makeDue(id);
      const current = await readJob(sql, id);
      expect(current.status).toMatch(/succeeded|failed/);
      return current;
    }, 60_000);
    expect(job.attempts).toMatchObject([
      ...Array(5).fill({ status: 'interrupted', error_code: 'E_UNAVAILABLE' }),
      { status: 'succeeded' },
    ]);
  });

  test('has failed after a hundred interruptions, with an error that says so', async () => {
    const type = unlucky(1);
    const { id } = await jobs.enqueue(type);
    await sql`
      update job_queue set attempt_count = 99, refunded_count = 99, interrupted_count = 99 where job_id = ${id}`;
    await jobs.work([type]);
    const job = await untilStatus(id, 'failed');
    expect(job).toMatchObject({ attempt_count: 100, error_code: 'E_UNAVAILABLE' });
    expect(job.error_text).toContain('interrupted 100 times');
  });
});

test('a job of a type that only a newer release knows waits for it, at the cost of no attempt', async () => {
  const type = jobType('invented', async () => undefined);
  const { id } = await jobs.enqueue(type, {}, { maxAttempts: 1 });
  const older = await jobs.work([]);
  const waiting = await untilStatus(id, 'retry_wait');
  await older.stop();
  expect(waiting.attempts).toMatchObject([{ status: 'interrupted', error_code: 'E_UNKNOWN_JOB_TYPE' }]);
  const [queued] = await sql`
    select extract(epoch from job_queue.due_at - attempt.finished_at)::float8 as waits_seconds
    from job_queue join job_attempts as attempt using (job_id)
    where job_id = ${id}`;
  expect(queued).toEqual({ waits_seconds: 30 });
  const newer = await jobs.work([type]);
  await makeDue(id);
  await untilStatus(id, 'succeeded');
  await newer.stop();
});

describe('a job whose outcome PostgreSQL cannot store', () => {
  test('has failed with a code, and those that ended with it are not held up', async () => {
    const both = gate();
    const nul = jobType('nul', async () => {
      await both.opened;
      return { result: { text: 'a\0b' } };
    });
    const fine = jobType('fine', async () => {
      await both.opened;
      return { result: { text: 'ab' } };
    });
    const worker = await jobs.work([nul, fine]);
    const bad = await jobs.enqueue(nul);
    const good = await jobs.enqueue(fine);
    await vi.waitFor(() => expect(worker.begun()).toBe(2), 30_000);
    both.open();
    expect(await untilStatus(bad.id, 'failed')).toMatchObject({
      error_code: 'E_INVALID_RESULT',
      attempt_count: 1,
    });
    expect(await untilStatus(good.id, 'succeeded')).toMatchObject({ result: { text: 'ab' } });
  });

  test('keeps its error text, but for the character', async () => {
    await jobs.work([
      jobType('nul', async () => {
        throw new PermanentError('E_NUL', 'a\0b');
      }),
    ]);
    const { id } = await jobs.enqueue(jobType('nul', async () => undefined));
    expect((await untilStatus(id, 'failed')).error_text).toBe('a\uFFFDb');
  });
});

describe('claiming', () => {
  test('takes higher priority first, then what has been due for longest', async () => {
    const order: unknown[] = [];
    const ordered = jobType('ordered', async ({ name }) => {
      order.push(name);
      return undefined;
    });
    await jobs.enqueue(ordered, { name: 'late' });
    await jobs.enqueue(ordered, { name: 'low' }, { priority: 1 });
    await jobs.enqueue(ordered, { name: 'high' }, { priority: 9 });
    const early = await jobs.enqueue(ordered, { name: 'early' });
    await sql`update job_queue set due_at = now() - interval '1 hour' where job_id = ${early.id}`;
    const worker = await jobs.work([ordered], { concurrency: 1, untilEmpty: true });
    await worker.stopped;
    expect(order).toEqual(['high', 'early', 'late', 'low']);
  });

  test('leaves a delayed job alone until it is due', async () => {
    const delayed = jobType('delayed', async () => undefined);
    const { id } = await jobs.enqueue(delayed, {}, { delaySeconds: 3600 });
    const worker = await jobs.work([delayed], { untilEmpty: true });
    await worker.stopped;
    expect(await readJob(sql, id)).toMatchObject({ status: 'queued', attempt_count: 0 });
    await control.cancel(id, actor);
  });

  test('begins at once a job whose delay is over, without polling', async () => {
    const soon = jobType('soon', async () => undefined);
    await jobs.work([soon], { pollSeconds: 3600 });
    const { id } = await jobs.enqueue(soon, {}, { delaySeconds: 0.3 });
    await untilStatus(id, 'succeeded');
  });

  test('takes without polling a job that became due while the last claim was under way', async () => {
    const soon = jobType('soon', async () => undefined);
    await jobs.work([soon], { pollSeconds: 3600 });
    const { id } = await jobs.enqueue(soon, {}, { delaySeconds: 3600 });
    const [holder] = database.twoConnections();
    await transaction(holder, async (tx) => {
      await tx`lock table job_queue in access exclusive mode`;
      await tx`update job_queue set due_at = clock_timestamp() + interval '0.5 seconds' where job_id = ${id}`;
      await transaction(sql, async (other) => other.notifyAfterCommit(JOBS_QUEUED, ['default']));
      await vi.waitFor(async () => {
        const [claim] = await tx`
          select
          from pg_locks
          where relation = 'job_queue'::regclass and not granted
            and database = (select oid from pg_database where datname = current_database())`;
        expect(claim).toBeDefined();
      }, 30_000);
      await vi.waitFor(async () => {
        const [queued] =
          await tx`select due_at < clock_timestamp() as is_due from job_queue where job_id = ${id}`;
        expect(queued?.is_due).toBe(true);
      }, 30_000);
    });
    await untilStatus(id, 'succeeded');
  });

  test('finds what comes into any of its queues, without polling', async () => {
    const here = jobType('here', async () => undefined, { queue: 'here' });
    const there = jobType('there', async () => undefined, { queue: 'there' });
    await jobs.work([here, there], { queues: ['here', 'there'], pollSeconds: 3600 });
    for (const types of [[here], [there], [here, there], [there, here]]) {
      const queued = await Promise.all(types.map((type) => jobs.enqueue(type)));
      await Promise.all(queued.map(({ id }) => untilStatus(id, 'succeeded')));
    }
  });

  test('serves only the queues it is told to', async () => {
    const aside = jobType('aside', async () => undefined, { queue: 'aside' });
    const { id } = await jobs.enqueue(aside);
    await (await jobs.work([aside], { untilEmpty: true })).stopped;
    expect((await readJob(sql, id)).status).toBe('queued');
    await (await jobs.work([aside], { queues: ['aside'], untilEmpty: true })).stopped;
    expect((await readJob(sql, id)).status).toBe('succeeded');
  });
});

describe('submitting under an idempotency key', () => {
  test('fifty times at once inserts one job', async () => {
    const once = jobType('once', async () => undefined);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => jobs.enqueue(once, {}, { idempotencyKey: 'the-same' })),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(await sql`select from jobs where job_type = 'once'`).toHaveLength(1);
    expect(await sql`select from job_queue where job_id = ${answers[0]?.id}`).toHaveLength(1);
    await control.cancel(answers[0]?.id ?? '', actor);
  });

  test('returns the job that exists, whatever its state', async () => {
    const again = jobType('again', async () => undefined);
    const first = await jobs.enqueue(again, {}, { idempotencyKey: 'k' });
    await control.cancel(first.id, actor);
    expect(await jobs.enqueue(again, {}, { idempotencyKey: 'k' })).toEqual({ id: first.id, created: false });
    expect((await readJob(sql, first.id)).status).toBe('cancelled');
  });

  test('leaves nothing when the transaction rolls back', async () => {
    const undone = jobType('undone', async () => undefined);
    const failed = transaction(sql, async (tx) => {
      await jobs.enqueueIn(tx, { type: undone, payload: {} });
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await sql`select from jobs where job_type = 'undone'`).toHaveLength(0);
  });
});

describe('cancelling', () => {
  test('a running job raises its signal, and what it returns is dropped', async () => {
    const began = gate();
    const ended = gate();
    const patient = jobType('patient', async (_payload, { signal }) => {
      began.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended.open();
      return { result: { late: true } };
    });
    const worker = await jobs.work([patient]);
    const { id } = await jobs.enqueue(patient);
    await began.opened;
    await control.cancel(id, actor);
    await ended.opened;
    await worker.stop();
    const job = await readJob(sql, id);
    expect(job).toMatchObject({ status: 'cancelled', result: {} });
    expect(job.attempts).toMatchObject([
      { status: 'interrupted', error_code: 'E_CANCELLED', worker: worker.name },
    ]);
  });

  test('a waiting job takes it out of the queue; a finished one stays as it is', async () => {
    const idle = jobType('idle', async () => undefined);
    const { id } = await jobs.enqueue(idle);
    await control.cancel(id, actor);
    await control.cancel(id, actor);
    expect(await readJob(sql, id)).toMatchObject({ status: 'cancelled', attempt_count: 0, attempts: [] });
    const done = await jobs.enqueue(idle);
    await (await jobs.work([idle], { untilEmpty: true })).stopped;
    await control.cancel(done.id, actor);
    expect((await readJob(sql, done.id)).status).toBe('succeeded');
  });

  test('and queueing again runs it, with all attempts before it', async () => {
    let tries = 0;
    const fickle = jobType('fickle', async () => {
      tries += 1;
      if (tries < 2) throw new Error('not yet');
      return undefined;
    });
    const { id } = await jobs.enqueue(fickle, {}, { maxAttempts: 1 });
    await (await jobs.work([fickle], { untilEmpty: true })).stopped;
    expect((await readJob(sql, id)).status).toBe('failed');
    await control.requeue(id, actor);
    expect(await readJob(sql, id)).toMatchObject({ status: 'queued', attempt_count: 1 });
    await expect(control.requeue(id, actor)).rejects.toMatchObject({ code: 'E_INVALID_STATE' });
    await (await jobs.work([fickle], { untilEmpty: true })).stopped;
    const job = await readJob(sql, id);
    expect(job.status).toBe('succeeded');
    expect(job.attempts.map(({ attempt_number, status }) => [attempt_number, status])).toEqual([
      [1, 'failed'],
      [2, 'succeeded'],
    ]);
  });
});

describe('stopping', () => {
  test('lets running jobs finish, and gives back untouched what was not begun', async () => {
    const began = gate();
    const finish = gate();
    const slow = jobType('slow', async () => {
      began.open();
      await finish.opened;
      return undefined;
    });
    const first = await jobs.enqueue(slow);
    const second = await jobs.enqueue(slow);
    const worker = await jobs.work([slow], { concurrency: 1 });
    await began.opened;
    const stopped = worker.stop();
    finish.open();
    await stopped;
    expect((await readJob(sql, first.id)).status).toBe('succeeded');
    expect(await readJob(sql, second.id)).toMatchObject({ status: 'queued', attempt_count: 0, attempts: [] });
    await control.cancel(second.id, actor);
  });

  test('hands back after the grace period what does not finish, without burning an attempt', async () => {
    const began = gate();
    const stubborn = jobType('stubborn', (_payload, { signal }) => {
      began.open();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const { id } = await jobs.enqueue(stubborn, {}, { maxAttempts: 1 });
    const worker = await jobs.work([stubborn], { graceSeconds: 0 });
    await began.opened;
    await worker.stop();
    const job = await readJob(sql, id);
    expect(job).toMatchObject({ status: 'queued', attempt_count: 1 });
    expect(job.attempts).toMatchObject([{ status: 'interrupted', error_code: 'E_WORKER_STOPPED' }]);

    const willing = jobType('stubborn', async () => undefined);
    await (await jobs.work([willing], { untilEmpty: true })).stopped;
    expect((await readJob(sql, id)).attempts).toMatchObject([
      { status: 'interrupted' },
      { status: 'succeeded' },
    ]);
    expect(await sql`select from workers`).toHaveLength(0);
  });
});
