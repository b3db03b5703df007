import { expect, test } from 'vitest';
import { parseDate } from './entry.ts';

const NOON = Date.parse('2024-03-01T12:00:00Z');

test.each([
  [NOON / 1000],
  [NOON],
  [NOON * 1000],
  [(NOON + 11_644_473_600_000) * 1000],
  [String(NOON / 1000)],
  [`${NOON / 1000}.0`],
  ['2024-03-01T12:00:00Z'],
  ['2024-03-01T13:00:00+0100'],
  ['2024-03-01 12:00:00 +0000'],
  ['2024-03-01 12:00:00+00'],
  ['2024-03-01 12:00 UTC'],
  ['2024-03-01T12:00:00.000456789+00:00'],
  ['Fri, 01 Mar 2024 12:00:00 GMT'],
])('%s is noon', (given) => {
  expect(parseDate(given)).toBe(NOON);
});

test.each([
  [0],
  [-5],
  [Number.NaN],
  ['-5'],
  [''],
  ['20240301'],
  ['9'.repeat(400)],
  ['soon'],
  ['10000-01-01T00:00:00Z'],
  [null],
  [[]],
  [{ toString: 5 }],
])('%j is not a date', (given) => {
  expect(parseDate(given)).toBeUndefined();
});
