import pg from 'pg';
import { expect, test } from 'vitest';
import { dateOf, TIMESTAMPTZ } from './timestamp-parser.ts';

test.each([
  '2026-11-18 05:30:00+00',
  '2026-11-18 05:30:00.1+00',
  '2026-11-18 05:30:00.02+00',
  '2026-02-28 23:59:59.123456+00',
  '1969-12-31 23:59:59.999999+00',
  '0099-01-01 00:00:00+00',
  '0044-03-15 12:00:00+00 BC',
  '12026-11-18 05:30:00.5+00',
  '2026-11-18 05:30:00+05:30',
  'infinity',
  '-infinity',
])('%s is the time that the client library reads', (text) => {
  expect(dateOf(text)).toEqual(pg.types.getTypeParser(TIMESTAMPTZ)(text));
});
