/**
 * Starts processes.
 *
 * @module-tag slow
 */
import { afterAll, expect, test } from 'vitest';
import { HARBOUR, SPEECH } from '../../../test/support/fixtures/texts.ts';
import { LAYERS } from '../../contract/analysis.ts';
import type { Rule } from '../governance/rules.ts';
import { type AnalysisProcesses, createAnalysisProcesses } from './analysis-processes.ts';
import type { AnalysisTask } from './work.ts';

const opened: AnalysisProcesses[] = [];
afterAll(() => Promise.all(opened.map((processes) => processes.close())));

function open(options: Parameters<typeof createAnalysisProcesses>[0] = {}): AnalysisProcesses {
  const processes = createAnalysisProcesses({ processes: 1, ...options });
  opened.push(processes);
  return processes;
}

const task = (text: string, rules: Rule[] = []): AnalysisTask => ({
  fragments: [{ idx: 0, canonical_text: text }],
  layers: LAYERS,
  rules,
});
const rule = (fields: Partial<Rule>): Rule => ({
  id: 'p',
  name: 'Policy',
  action: 'redact',
  terms: [],
  patterns: [],
  ...fields,
});
const LONG = `${HARBOUR} ${SPEECH}\n`.repeat(5000);

test('an analysis does not block the event loop, and can be aborted', async () => {
  const processes = open();
  await processes.readLayers(task('Warm.'));
  const stop = new AbortController();
  const reason = new Error('cancelled by a person');
  const running = processes.readLayers(task(LONG), stop.signal);
  let ticks = 0;
  await new Promise<void>((resolve) => {
    const heart = setInterval(() => {
      ticks += 1;
      if (ticks < 20) return;
      clearInterval(heart);
      resolve();
    }, 1);
  });
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect((await processes.readLayers(task('Again.'))).analysis.word_count).toBe(1);
});

test('a text that takes too long or too much memory fails permanently with a message', async () => {
  const slow = open({ timeoutMs: 1500 }).readLayers(task(LONG));
  await expect(slow).rejects.toMatchObject({ name: 'PermanentError', code: 'E_ANALYSIS_TIMEOUT' });
  const hungry = open({ memoryMb: 96 }).readLayers(task(LONG));
  await expect(hungry).rejects.toMatchObject({ name: 'PermanentError', code: 'E_ANALYSIS_MEMORY' });
});

test('redacted text is never read: ranges stay valid', async () => {
  const { analysis, hits, text } = await open().readLayers(
    task(HARBOUR, [rule({ terms: ['ada lovelace'], patterns: ['\\$\\d+'] })]),
  );
  expect(hits).toMatchObject([{ action: 'redact', count: 2 }]);
  expect(text).toHaveLength(HARBOUR.length);
  const said = JSON.stringify(analysis).toLowerCase();
  for (const word of ['ada', 'lovelace', '300']) expect(said).not.toMatch(new RegExp(`\\b${word}\\b`));
  const plain = await open().readLayers(task(HARBOUR));
  const lamp = (result: typeof plain) =>
    result.analysis.baselines.token?.output.findings.find(({ label }) => label === 'lamp');
  expect(lamp(plain)).toBeDefined();
  expect(
    (await open().readLayers(task(HARBOUR, [rule({ terms: ['ada'] })]))).analysis.baselines.token?.output
      .findings,
  ).toContainEqual(lamp(plain));
});

test('a blocked text returns the policy only', async () => {
  const result = await open().readLayers(task(HARBOUR, [rule({ action: 'block', terms: ['keeper'] })]));
  expect(result).toMatchObject({
    text: '',
    hits: [{ action: 'block', count: 2 }],
    analysis: { word_count: 0 },
  });
});
