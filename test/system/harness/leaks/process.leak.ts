import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'vitest';
import { fileDir } from '../../../support/workspace.ts';

test('passes, and leaves a process behind', async () => {
  const child = spawn('sleep', ['600'], {
    env: { ...process.env, MARK: fileDir },
    detached: true,
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  child.unref();
});
