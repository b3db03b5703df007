import { afterAll, describe, expect, test, vi } from 'vitest';
import type { ThreadTask } from '../../../test/fixtures/threads/entry.ts';
import { createThreadPool, type PoolOptions, TaskFailed } from './pool.ts';

const entry = new URL('../../../test/fixtures/threads/entry.ts', import.meta.url);
const pools: { close(): Promise<void> }[] = [];

function open(options: Partial<PoolOptions> = {}) {
  const pool = createThreadPool<ThreadTask, unknown>({
    entry,
    size: 1,
    timeoutMs: 30_000,
    memoryMb: 64,
    ...options,
  });
  pools.push(pool);
  return pool;
}

afterAll(() => Promise.all(pools.map((pool) => pool.close())));

test('a task comes back with its result, or with what it threw', async () => {
  const pool = open();
  expect(await pool.run({ do: 'echo', value: { text: 'é', list: [1, null] } })).toEqual({
    text: 'é',
    list: [1, null],
  });
  const error = await pool.run({ do: 'throw', code: 'E_SOMETHING' }).catch((reason) => reason);
  expect(error).toBeInstanceOf(TaskFailed);
  expect(error).toMatchObject({ code: 'E_SOMETHING', message: 'as asked' });
});

test('many tasks on few threads all come back', async () => {
  const pool = open({ size: 2 });
  const values = Array.from({ length: 100 }, (_, value) => value);
  expect(await Promise.all(values.map((value) => pool.run({ do: 'echo', value })))).toEqual(values);
});

test('bytes are moved, not copied', async () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const result = await open().run({ do: 'echo', value: bytes }, { transfer: [bytes.buffer] });
  expect(result).toEqual(new Uint8Array([1, 2, 3]));
  expect(bytes).toHaveLength(0);
});

test('a task that cannot be sent harms no thread', async () => {
  const pool = open();
  const gone = new Uint8Array([1]);
  structuredClone(gone, { transfer: [gone.buffer] });
  await expect(pool.run({ do: 'echo', value: gone }, { transfer: [gone.buffer] })).rejects.toThrow();
  await expect(pool.run({ do: 'echo', value: () => {} })).rejects.toThrow('could not be cloned');
  expect(await pool.run({ do: 'count' })).toBe(1);
});

describe('a task that does not behave ends with its thread, and the next one gets another', () => {
  const timeoutMs = 1500;
  test.each([
    ['loop', 'timeout'],
    ['backtrack', 'timeout'],
    ['hoard', 'memory'],
    ['exit', 'crash'],
  ] as const)('%s: %s', async (what, reason) => {
    const pool = open({ timeoutMs });
    expect(await pool.run({ do: 'echo', value: 'warm' })).toBe('warm');
    let ticks = 0;
    const heart = setInterval(() => {
      ticks += 1;
    }, 1);
    const failing = pool.run({ do: what } as ThreadTask);
    const following = pool.run({ do: 'echo', value: 'next' });
    await expect(failing).rejects.toMatchObject({ name: 'ThreadStopped', reason });
    expect(await following).toBe('next');
    clearInterval(heart);
    // The event loop went on beating all the while.
    expect(ticks).toBeGreaterThan(20);
  });

  test('but a stack that overflows is only an error', async () => {
    const pool = open();
    await expect(pool.run({ do: 'recurse' })).rejects.toMatchObject({ name: 'RangeError' });
    expect(await pool.run({ do: 'echo', value: 'same' })).toBe('same');
  });

  test('and so does one that blows up after it has answered', async () => {
    const pool = open();
    expect(await pool.run({ do: 'explode later' })).toBe('answered');
    await vi.waitFor(async () => expect(await pool.run({ do: 'count' }).catch(() => 0)).toBe(1));
  });
});

test('a thread that runs out of memory while it is being ended ends nothing else', async () => {
  // The limits are met at about the same time, now one first and now the other.
  const timeouts = Array.from({ length: 12 }, (_, index) => 150 + index * 40);
  const outcomes = timeouts.map((timeoutMs) =>
    open({ timeoutMs, memoryMb: 24 })
      .run({ do: 'hoard' })
      .catch((error) => error.reason),
  );
  for (const outcome of await Promise.all(outcomes)) expect(['timeout', 'memory']).toContain(outcome);
});

describe('whoever asked can stop', () => {
  test('a task that runs, which ends its thread', async () => {
    const pool = open();
    const stop = new AbortController();
    const running = pool.run({ do: 'loop' }, { signal: stop.signal });
    const reason = new Error('cancelled by a person');
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(await pool.run({ do: 'echo', value: 1 })).toBe(1);
  });

  test('a task that waits, without disturbing the one that runs', async () => {
    const pool = open();
    const first = pool.run({ do: 'echo', value: 'first' });
    const stop = new AbortController();
    const second = pool.run({ do: 'echo', value: 'second' }, { signal: stop.signal });
    stop.abort(new Error('no longer'));
    await expect(second).rejects.toThrow('no longer');
    expect(await first).toBe('first');
    expect(await pool.run({ do: 'count' })).toBe(1);
  });
});

test('a thread is replaced after so many tasks', async () => {
  const pool = open({ tasksPerThread: 2 });
  const counts = [];
  for (let index = 0; index < 5; index++) counts.push(await pool.run({ do: 'count' }));
  expect(counts).toEqual([1, 2, 1, 2, 1]);
});

test('a thread sees nothing of the environment', async () => {
  expect(await open().run({ do: 'environment' })).toEqual({});
});

test('closing rejects what runs, what waits and what comes', async () => {
  const pool = open();
  const running = pool.run({ do: 'loop' });
  const waiting = pool.run({ do: 'echo', value: 1 });
  const both = Promise.allSettled([running, waiting]);
  await pool.close();
  for (const outcome of await both)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'closed' } });
  await expect(pool.run({ do: 'echo', value: 1 })).rejects.toMatchObject({ reason: 'closed' });
});
