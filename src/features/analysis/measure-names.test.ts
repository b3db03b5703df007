import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ARGUMENT, CHAT, CONTRACT, HARBOUR, LETTER, SPEECH } from '../../../test/support/fixtures/texts.ts';
import { LAYERS } from '../../contract/analysis.ts';
import { runLayers } from './layer-pipeline.ts';

/** Returns the names of all measures of the layers for a text. */
function namesOf(text: string): string[] {
  const { baselines } = runLayers({ text, fragments: [{ idx: 0, start: 0 }] }, LAYERS);
  return LAYERS.flatMap((layer) =>
    Object.keys(baselines[layer]?.output.measures ?? {}).map((name) => `${layer}.${name}`),
  );
}

/** Policies mask values and not names, so a word of the text must never become a name. */
test('the names of measures are the same for every text', () => {
  const known = new Set([...namesOf(''), ...namesOf(ARGUMENT)]);
  expect(known.size).toBeGreaterThan(80);
  const strange = (text: string) => namesOf(text).filter((name) => !known.has(name));
  for (const text of [CHAT, CONTRACT, HARBOUR, LETTER, SPEECH]) expect(strange(text)).toEqual([]);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      expect(strange(text)).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
