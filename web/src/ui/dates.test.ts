import { describe, expect, test } from 'vitest';
import { createDates } from './dates.ts';

const inAuckland = createDates('Pacific/Auckland', 'en-GB');
const inHonolulu = createDates('Pacific/Honolulu', 'en-US');

test('a time is shown in the zone and the language of the reader', () => {
  const at = '2025-03-09T11:30:15Z';
  expect(inAuckland.exactTime(at)).toBe('10 Mar 2025, 00:30:15');
  expect(inHonolulu.exactTime(at)).toMatch(/^Mar 9, 2025, 1:30:15\sAM$/);
  expect(inAuckland.dayOf(at)).toBe('10 Mar 2025');
  expect(inHonolulu.dayOf(at)).toBe('Mar 9, 2025');
});

describe('a publication date', () => {
  test.each([
    ['2024-02-29', '29 Feb 2024', 'Feb 29, 2024'],
    ['2021-03-04T00:00:00Z', '4 Mar 2021', 'Mar 4, 2021'],
    ['2021-03-04T00:00:00.000+01:00', '4 Mar 2021', 'Mar 4, 2021'],
    ['2024-02', 'Feb 2024', 'Feb 2024'],
    ['1851', '1851', '1851'],
    ['Spring 1998', 'Spring 1998', 'Spring 1998'],
  ])('%s without a time is the same day in every zone', (published, british, american) => {
    expect(inAuckland.publishedOf(published)).toBe(british);
    expect(inHonolulu.publishedOf(published)).toBe(american);
  });

  test('with a time is the day on which it was for the reader', () => {
    expect(inAuckland.publishedOf('2024-05-01T20:15:00Z')).toBe('2 May 2024');
    expect(inHonolulu.publishedOf('2024-05-01T20:15:00Z')).toBe('May 1, 2024');
  });
});

test('yesterday is the day before, whatever the hour, and years change with the zone', () => {
  const now = Date.parse('2025-01-01T12:00:00Z');
  // In Auckland it is 2 January, 01:00; 26 hours before is 31 December.
  expect(inAuckland.timeAgo('2024-12-31T10:00:00Z', now)).toBe('31 Dec 2024');
  expect(inHonolulu.timeAgo('2024-12-31T10:00:00Z', now)).toBe('yesterday');
  expect(inAuckland.timeAgo('2025-01-01T09:00:00Z', now)).toBe('3 h ago');
});
