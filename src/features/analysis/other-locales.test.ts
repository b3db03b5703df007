import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

async function printedIn(env: Record<string, string>): Promise<string> {
  const program = path.join(inject('bundles'), 'print-analysis.js');
  const options = { timeout: 60_000, env, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)(process.execPath, [program], options)).stdout;
}

test('two processes with different locales and time zones return identical bytes for the same texts', async () => {
  const [here, there] = await Promise.all([
    printedIn({ LANG: 'en_GB.UTF-8', TZ: 'UTC' }),
    printedIn({ LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo' }),
  ]);
  expect(here).toBe(there);
  expect(Object.keys(JSON.parse(here).analysis.baselines)).toHaveLength(9);
});
