import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';

test('a file that leaves a connection or a process behind fails, although its tests pass', () => {
  const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'test/system/harness/leaks/vitest.config.ts', '--root', '.'],
    {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        NO_COLOR: '1',
        SERVER: JSON.stringify(inject('server')),
        RUN_DIR: inject('runDir'),
      },
    },
  );
  const output = stdout + stderr;
  expect(output).toMatch(/2 passed/);
  expect(output).toContain('This file left database connections open');
  expect(output).toContain('This file left processes behind');
  expect(status).toBe(1);
});
