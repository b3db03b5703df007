/**
 * Starts processes.
 *
 * @module-tag slow
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { isAlive } from '../../../test/support/processes.ts';
import { newDirectory } from '../../../test/support/workspace.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PARENT = 'test/support/fixtures/processes/parent.ts';

/** Starts a parent whose child is stuck in native code (`normalize`). */
async function startStuck() {
  const file = path.join(await newDirectory(), 'pid');
  const parent = spawn(
    process.execPath,
    ['--import', './test/support/typescript-in-processes.mjs', path.join(ROOT, PARENT), file],
    { cwd: ROOT, env: { PATH: process.env.PATH }, stdio: 'ignore' },
  );
  const exited = once(parent, 'exit');
  const child = await vi.waitFor(async () => Number(await readFile(file, 'utf8')) || expect.fail(), {
    timeout: 30_000,
    interval: 50,
  });
  return { parent, exited, child };
}

test('a process ends soon after its parent is killed, even inside native code', async () => {
  const { parent, exited, child } = await startStuck();
  parent.kill('SIGKILL');
  await exited;
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), { timeout: 30_000, interval: 50 });
});

test('a parent that closes its pool exits immediately, and leaves no process behind', async () => {
  const { parent, exited, child } = await startStuck();
  parent.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(isAlive(child)).toBe(false);
});
