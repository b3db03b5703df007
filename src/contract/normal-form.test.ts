import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalForm } from './normal-form.ts';

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/** Marks of many classes, marks that decompose, letters that compose, and a character that has marks in NFKD only. */
const CHARACTERS = [
  ...'\u0301\u0316\u0327\u0345\u0334\u05b0\u064b\u0f71\u0f72\u0f73\u0f81\u0344\u3099\uff9e\u094d',
  ...'ae\u1e69\u00e9\u1100\u1161\u11a8\uac00\u0340 \n\ud800',
  '\u{1d165}',
  '\u{1d16d}',
  '\u{1f600}',
];

test('the result equals String.prototype.normalize for every form', () => {
  const text = fc
    .array(fc.constantFrom(...CHARACTERS), { minLength: 0, maxLength: 400 })
    .map((parts) => parts.join(''));
  const marks = fc
    .array(fc.constantFrom(...CHARACTERS.slice(0, 15)), { minLength: 25, maxLength: 200 })
    .map((parts) => `a${parts.join('')}b`);
  fc.assert(
    fc.property(fc.oneof(text, marks), fc.constantFrom(...FORMS), (given, form) => {
      expect(normalForm(given, form)).toBe(given.normalize(form));
    }),
    { numRuns: 2000 },
  );
});

test('every combining mark of Unicode is sorted correctly', () => {
  const marks: string[] = [];
  for (let point = 0x300; point < 0x20000; point++) {
    const character = String.fromCodePoint(point);
    if (/\p{M}/u.test(character)) marks.push(character);
  }
  expect(marks.length).toBeGreaterThan(2000);
  const run = `a${[...marks, ...marks.toReversed()].join('')}`;
  for (const form of FORMS) expect(normalForm(run, form)).toBe(run.normalize(form));
});

test.each(FORMS)('a million combining marks take at most 5 s of CPU time in %s', (form) => {
  const run = `a${'\u0301\u0316'.repeat(500_000)}`;
  const before = process.cpuUsage();
  expect(normalForm(run, form).startsWith(form.endsWith('D') ? 'a\u0316' : '\u00e1\u0316')).toBe(true);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(5_000_000);
});
