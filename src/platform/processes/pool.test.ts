/**
 * Starts processes, and waits until they exceed their limits.
 *
 * @module-tag slow
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { watchEventLoop } from '../../../test/support/event-loop.ts';
import type { HostileWork } from '../../../test/support/fixtures/processes/hostile-worker.ts';
import { isAlive } from '../../../test/support/processes.ts';
import { newDirectory } from '../../../test/support/workspace.ts';
import { createProcessPool, type PoolOptions } from './pool.ts';
import { TaskFailed } from './stopped.ts';

const entry = new URL('../../../test/support/fixtures/processes/hostile-worker.ts', import.meta.url);
const pools: { close(): Promise<void> }[] = [];

function open(options: Partial<PoolOptions> = {}) {
  const pool = createProcessPool<HostileWork>({
    entry,
    size: 1,
    timeoutMs: 30_000,
    memoryMb: 256,
    resultMb: 64,
    ...options,
  });
  pools.push(pool);
  return pool;
}

afterAll(() => Promise.all(pools.map((pool) => pool.close())));

test('a task returns its result or throws its error', async () => {
  const pool = open();
  const value = { text: 'é 💡', list: [1, null], bytes: new Uint8Array([1, 2, 3]), none: new Uint8Array() };
  expect(await pool.run('echo', value)).toEqual(value);
  const error = await pool.run('throw', 'E_SOMETHING').catch((reason) => reason);
  expect(error).toBeInstanceOf(TaskFailed);
  expect(error).toMatchObject({ code: 'E_SOMETHING', message: 'as asked' });
});

test('many tasks on few processes all finish', async () => {
  const pool = open({ size: 2 });
  const values = Array.from({ length: 100 }, (_, value) => value);
  expect(await Promise.all(values.map((value) => pool.run('echo', value)))).toEqual(values);
});

test('an input that cannot be serialised does not affect the process', async () => {
  const pool = open();
  await expect(pool.run('echo', () => {})).rejects.toThrow('could not be cloned');
  await expect(pool.run('echo', new Float64Array(1))).rejects.toThrow('byte arrays');
  expect(await pool.run('count', undefined)).toBe(1);
});

test('large results do not block the event loop', async () => {
  const pool = open({ memoryMb: 1024, resultMb: 128 });
  await pool.run('echo', 1);
  const results: unknown[] = [];
  const { longestTurnMs } = await watchEventLoop(async () => {
    results.push(await pool.run('answer with bytes', 100_000_000));
    results.push(await pool.run('answer with text', 50_000_000));
  });
  expect(results.map((result) => (result as { length: number }).length)).toEqual([100_000_000, 50_000_000]);
  // Received in chunks: 100 MB in one message take half a second on the event loop.
  expect(longestTurnMs).toBeLessThan(250);
});

test('a result that is too large is refused, and the next task runs', async () => {
  const pool = open({ resultMb: 1 });
  await expect(pool.run('answer with bytes', 2 * 1024 * 1024)).rejects.toMatchObject({ reason: 'output' });
  await expect(pool.run('answer with text', 2 * 1024 * 1024)).rejects.toMatchObject({ reason: 'output' });
  expect(await pool.run('echo', 'next')).toBe('next');
});

describe('a task that exceeds its limits ends with its process, and the next one gets another', () => {
  test.each([
    ['loop', 'timeout'],
    ['backtrack', 'timeout'],
    ['normalize', 'timeout'],
    ['hoard objects', 'memory'],
    ['hoard buffers', 'memory'],
    ['exit', 'crash'],
  ] as const)('%s: %s', async (name, reason) => {
    const pool = open({ timeoutMs: reason === 'timeout' ? 1500 : 60_000 });
    const pid = await pool.run('pid', undefined);
    const { longestTurnMs } = await watchEventLoop(async () => {
      const failing = pool.run(name, undefined);
      const following = pool.run('echo', 'next');
      await expect(failing).rejects.toMatchObject({ name: 'ProcessStopped', reason });
      expect(await following).toBe('next');
    });
    expect(longestTurnMs).toBeLessThan(1000);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 30_000);
  });

  test('but a stack overflow is only an error', async () => {
    const pool = open();
    await expect(pool.run('recurse', undefined)).rejects.toMatchObject({ name: 'RangeError' });
    expect(await pool.run('echo', 'same')).toBe('same');
  });

  test('and so does one that throws after it has returned', async () => {
    const pool = open();
    expect(await pool.run('explode later', undefined)).toBe('answered');
    await vi.waitFor(async () => expect(await pool.run('count', undefined).catch(() => 0)).toBe(1), 30_000);
  });
});

describe('an abort', () => {
  test('kills the process of a running task, even inside native code', async () => {
    const pool = open();
    const stop = new AbortController();
    const file = path.join(await newDirectory(), 'pid');
    const running = pool.run('normalize and tell', file, { signal: stop.signal });
    const pid = await vi.waitFor(async () => Number(await readFile(file, 'utf8')) || expect.fail(), 30_000);
    const reason = new Error('cancelled by a person');
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(await pool.run('echo', 1)).toBe(1);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 30_000);
  });

  test('removes a waiting task from the queue, and does not affect the running one', async () => {
    const pool = open();
    const first = pool.run('echo', 'first');
    const stop = new AbortController();
    const second = pool.run('echo', 'second', { signal: stop.signal });
    stop.abort(new Error('no longer'));
    await expect(second).rejects.toThrow('no longer');
    expect(await first).toBe('first');
    expect(await pool.run('count', undefined)).toBe(1);
  });
});

test('a process is replaced after a number of tasks, and when it keeps too much memory', async () => {
  const pool = open({ tasksPerProcess: 2 });
  const counts = [];
  for (let index = 0; index < 5; index++) counts.push(await pool.run('count', undefined));
  expect(counts).toEqual([1, 2, 1, 2, 1]);
  const heavy = open();
  const pid = await heavy.run('leave', 150);
  expect(await heavy.run('pid', undefined)).not.toBe(pid);
});

test('an idle process ends after a while', async () => {
  const pool = open({ idleMs: 50 });
  const pid = await pool.run('pid', undefined);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 30_000);
  expect(await pool.run('echo', 'again')).toBe('again');
});

test('a full queue refuses more tasks', async () => {
  const pool = open({ maxWaiting: 1 });
  const [first, second] = [pool.run('echo', 1), pool.run('echo', 2)];
  await expect(pool.run('echo', 3)).rejects.toMatchObject({ reason: 'busy' });
  expect(await Promise.all([first, second])).toEqual([1, 2]);
});

test('a process sees nothing of the environment', async () => {
  const { TZ: _, ...environment } = await open().run('environment', undefined);
  expect(environment).toEqual({});
});

test('closing kills running processes, and rejects running, waiting and later tasks', async () => {
  const pool = open();
  const file = path.join(await newDirectory(), 'pid');
  const running = pool.run('normalize and tell', file);
  const waiting = pool.run('echo', 1);
  const both = Promise.allSettled([running, waiting]);
  const pid = await vi.waitFor(async () => Number(await readFile(file, 'utf8')) || expect.fail(), 30_000);
  await pool.close();
  expect(isAlive(pid)).toBe(false);
  for (const outcome of await both)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'closed' } });
  await expect(pool.run('echo', 1)).rejects.toMatchObject({ reason: 'closed' });
});
