/**
 * Analyses long and random texts.
 *
 * @module-tag slow
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as texts from '../../../test/support/fixtures/texts.ts';
import { LAYERS, layerOutput } from '../../contract/analysis.ts';
import { runLayers, type TextAnalysis } from './layer-pipeline.ts';
import { joinFragments, spanOf } from './text.ts';

const readAll = (...fragments: string[]) =>
  runLayers(joinFragments(fragments.map((canonical_text, idx) => ({ idx, canonical_text }))), LAYERS);
const confidences = ({ baselines }: TextAnalysis) =>
  LAYERS.map((layer) => baselines[layer]?.confidence ?? -1);

/** Checks that an analysis has nine layers of the right shape, and every range inside its fragment. */
function expectSound(analysis: TextAnalysis, fragments: string[]): void {
  for (const layer of LAYERS) {
    const { output, confidence } = analysis.baselines[layer] ?? expect.fail(`${layer} is missing`);
    layerOutput.parse(output);
    expect(confidence).toBeGreaterThanOrEqual(0);
    expect(confidence).toBeLessThanOrEqual(0.95);
    for (const { spans, count } of output.findings) {
      expect(spans.length).toBeLessThanOrEqual(count);
      for (const { fragment_idx, start, end } of spans) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(fragments[fragment_idx]?.length ?? -1);
      }
    }
  }
}

test('an empty text has no findings and confidence 0', () => {
  const analysis = readAll('');
  expectSound(analysis, ['']);
  expect(analysis).toMatchObject({ language: 'und', word_count: 0 });
  expect(confidences(analysis)).toEqual(LAYERS.map(() => 0));
});

test('one word is one word', () => {
  const analysis = readAll('Hello');
  expectSound(analysis, ['Hello']);
  expect(analysis.word_count).toBe(1);
  expect(Math.max(...confidences(analysis))).toBeLessThan(0.5);
});

test('English is detected, and a longer text has higher confidence', () => {
  const [short, long] = [readAll(texts.HARBOUR.slice(0, 77)), readAll(texts.HARBOUR)];
  expect(long.language).toBe('en');
  for (const [index, confidence] of confidences(long).entries()) {
    expect(confidence).toBeGreaterThanOrEqual(confidences(short)[index] ?? 1);
    expect(confidence).toBeGreaterThanOrEqual(0.5);
  }
});

test.each([
  ['German', texts.GERMAN, 43],
  ['Arabic', texts.ARABIC, 14],
  ['Hebrew', texts.HEBREW, 10],
  ['Chinese', texts.CHINESE, 14],
])('%s is counted, and layers for English have lower confidence', (_name, text, words) => {
  const analysis = readAll(text);
  expectSound(analysis, [text]);
  expect(analysis.language).toBe('und');
  expect(Math.abs(analysis.word_count - words)).toBeLessThanOrEqual(2);
  for (const layer of ['morphology', 'syntax', 'semantics', 'rhetoric'] as const) {
    expect(analysis.baselines[layer]?.confidence).toBeLessThan(0.1);
  }
  expect(analysis.baselines.semiotic?.confidence).toBeLessThan(0.3);
  expect(analysis.baselines.token?.output.measures).not.toHaveProperty('reading_ease');
});

test('a text of emoji has signs and no words', () => {
  const analysis = readAll(texts.EMOJI);
  expectSound(analysis, [texts.EMOJI]);
  expect(analysis.word_count).toBe(0);
  const emoji = analysis.baselines.semiotic?.output.findings.map(({ label, count }) => [label, count]);
  expect(emoji).toEqual([
    ['😀', 2],
    ['🎉', 1],
    ['👩‍👩‍👧‍👦', 1],
    ['🏳️‍🌈', 1],
    ['👍🏽', 1],
  ]);
  expect(analysis.baselines.syntax?.confidence).toBe(0);
});

test('any text gives a valid analysis', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(...Object.values(texts)),
    fc.constantFrom('\n', ' ', "'", '…', '-', '"', '\u00a0', '\u200b', '\ufeff', '\ud83d'),
  );
  fc.assert(
    fc.property(
      fc.array(
        fc.array(part).map((parts) => parts.join('')),
        { minLength: 1, maxLength: 4 },
      ),
      (parts) => {
        expectSound(readAll(...parts), parts);
      },
    ),
    { numRuns: 75 },
  );
});

test('the same text gives the same bytes, whatever was analysed before', () => {
  const first = JSON.stringify(readAll(texts.HARBOUR, texts.SPEECH));
  for (const text of Object.values(texts)) readAll(text);
  readAll(Array.from({ length: 5000 }, (_, index) => `word${index.toString(36)}q`).join(' '));
  expect(JSON.stringify(readAll(texts.HARBOUR, texts.SPEECH))).toBe(first);
});

test('two megabytes are analysed completely', () => {
  const paragraph = `${texts.HARBOUR.replaceAll('\n', ' ')} ${texts.ARGUMENT}\n`;
  const text = paragraph.repeat(Math.ceil(2_000_000 / paragraph.length));
  const before = process.memoryUsage().heapUsed;
  const analysis = readAll(text);
  expectSound(analysis, [text]);
  const times = text.length / paragraph.length;
  expect(analysis.word_count).toBe(readAll(paragraph).word_count * times);
  const lamps = analysis.baselines.token?.output.findings.find(({ label }) => label === 'lamp');
  expect(lamps?.count).toBe(3 * times);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(300 * 1024 * 1024);
});

describe('texts made to be slow', () => {
  test.each([
    ['one word', 'a'.repeat(300_000)],
    ['hyphens', '-'.repeat(300_000)],
    ['apostrophes', "a'".repeat(150_000)],
    ['addresses', 'http://'.repeat(40_000)],
    ['no white space', '清晨的市场'.repeat(60_000)],
    ['emoji', '👩‍👩‍👧‍👦'.repeat(20_000)],
    ['line ends', '\n'.repeat(300_000)],
    ['one sentence', 'and so on '.repeat(30_000)],
  ])('%s', { timeout: 60_000 }, (_name, text) => {
    expectSound(readAll(text), [text]);
  });
});

test('ranges are converted to spans of their fragment, and end with it', () => {
  const document = joinFragments([
    { idx: 3, canonical_text: 'one two' },
    { idx: 4, canonical_text: '' },
    { idx: 7, canonical_text: 'three' },
  ]);
  expect(document.text).toBe('one two\n\nthree');
  expect(spanOf(document, { start: 4, end: 7 })).toEqual({ fragment_idx: 3, start: 4, end: 7 });
  expect(spanOf(document, { start: 4, end: 14 })).toEqual({ fragment_idx: 3, start: 4, end: 7 });
  expect(spanOf(document, { start: 9, end: 14 })).toEqual({ fragment_idx: 7, start: 0, end: 5 });
});

test('a word in the second fragment is found there', () => {
  const analysis = readAll('The sea was calm.', 'The lamp burned. The lamp went out.');
  const lamp = analysis.baselines.token?.output.findings.find(({ label }) => label === 'lamp');
  expect(lamp?.spans).toEqual([
    { fragment_idx: 1, start: 4, end: 8 },
    { fragment_idx: 1, start: 21, end: 25 },
  ]);
});
