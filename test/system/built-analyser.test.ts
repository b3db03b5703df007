/**
 * Runs the built program.
 *
 * @module-tag slow
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as texts from '../support/fixtures/texts.ts';
import { newDirectory } from '../support/workspace.ts';

/** Runs the analyser in a process without TypeScript, with any locale and time zone. */
async function analyseElsewhere(env: Record<string, string>): Promise<string> {
  const dist = new URL('../../dist', import.meta.url).href;
  const program = `
    import { createAnalysisProcesses } from '${dist}/features/analysis/analysis-processes.js';
    import { LAYERS } from '${dist}/contract/analysis.js';
    const fragments = ${JSON.stringify(Object.values(texts).map((canonical_text, idx) => ({ idx, canonical_text })))};
    const analyser = createAnalysisProcesses();
    const result = await analyser.analyse({ fragments, layers: LAYERS, rules: [] });
    process.stdout.write(JSON.stringify(result));
    // It ends by itself: idle processes of a pool do not keep it alive.`;
  const file = path.join(await newDirectory(), 'program.mjs');
  await writeFile(file, program);
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    timeout: 60_000,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

test('two processes with different locales and time zones return identical bytes for the same texts', async () => {
  const [here, there] = await Promise.all([
    analyseElsewhere({ LANG: 'en_GB.UTF-8', TZ: 'UTC' }),
    analyseElsewhere({ LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Tokyo' }),
  ]);
  expect(here).toBe(there);
  expect(Object.keys(JSON.parse(here).analysis.baselines)).toHaveLength(9);
});
