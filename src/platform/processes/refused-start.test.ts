/**
 * Starts processes.
 *
 * @module-tag slow
 */
import { ChildProcess, execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import type { HostileWork } from '../../../test/support/fixtures/processes/hostile-worker.ts';
import { newDirectory } from '../../../test/support/workspace.ts';
import { isOwnTrouble } from '../work/interruption.ts';
import { createProcessPool } from './pool.ts';
import { failureCause } from './stopped.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HOOK = './test/support/typescript-in-processes.mjs';
const LIMITS = { size: 1, timeoutMs: 30_000, memoryMb: 256, resultMb: 1 };

test('without file descriptors, tasks are refused, the server lives on, and later tasks run', async () => {
  const program = ['--import', HOOK, 'test/support/fixtures/processes/without-descriptors.ts'];
  const limited = ['-c', 'ulimit -n 100 && exec "$@"', 'sh', process.execPath, ...program];
  const { stdout } = await promisify(execFile)('sh', limited, { cwd: ROOT, env: { PATH: process.env.PATH } });
  expect(JSON.parse(stdout)).toEqual(['start', 'start', 3]);
});

test('a process that could not be started is sent no signal, which would reach another process', async () => {
  const pool = createProcessPool<HostileWork>({ ...LIMITS, entry: new URL(import.meta.url) });
  const stop = new AbortController();
  // Replaced, so that a failure of this test kills nothing.
  const kill = vi.spyOn(ChildProcess.prototype, 'kill').mockReturnValue(true);
  const program = process.execPath;
  try {
    process.execPath = '/nowhere';
    const running = pool.run('echo', 1, { signal: stop.signal });
    // Before Node has reported the failure.
    stop.abort('aborted');
    await expect(running).rejects.toBe('aborted');
    await pool.close();
    expect(kill).not.toHaveBeenCalled();
  } finally {
    process.execPath = program;
    kill.mockRestore();
  }
});

test('a task whose process cannot be created is refused, and so are those that wait', async () => {
  // The system refuses arguments of this length, as it does when it has no memory for a process.
  const pool = createProcessPool<HostileWork>({
    ...LIMITS,
    entry: new URL(`file:///${'long/'.repeat(500_000)}`),
  });
  await expectRefusals(pool);
});

test.each(['process.exit(1)', 'process.kill(process.pid, "SIGKILL")'])(
  'a task whose process ends while it loads is refused, because the task is not the cause: %s',
  async (program) => {
    const file = path.join(await newDirectory(), 'worker.mjs');
    await writeFile(file, program);
    await expectRefusals(createProcessPool<HostileWork>({ ...LIMITS, entry: pathToFileURL(file) }));
  },
);

async function expectRefusals(pool: ReturnType<typeof createProcessPool<HostileWork>>) {
  const refused = await Promise.allSettled([pool.run('echo', 1), pool.run('echo', 2)]);
  for (const ended of refused) {
    expect(ended).toMatchObject({ status: 'rejected', reason: { name: 'ProcessStopped', reason: 'start' } });
    const { reason } = ended as PromiseRejectedResult;
    expect([isOwnTrouble(reason), failureCause(reason)]).toEqual([true, undefined]);
  }
  await pool.close();
}
