import { expect, test, vi } from 'vitest';
import { firstIdAt, newId } from './ids.ts';

test('ids are UUIDs of version 7, and those of one process sort in the order in which they were made', () => {
  const ids = Array.from({ length: 20_000 }, newId);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a clock that is set back does not make ids that sort before earlier ones', () => {
  const before = newId();
  vi.useFakeTimers({ now: Date.now() - 3_600_000 });
  try {
    expect(newId() > before).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('the first id of a time sorts between what was made before it and what is made from then on', () => {
  const time = new Date();
  expect(newId() > firstIdAt(time)).toBe(true);
  expect(firstIdAt(new Date(time.getTime() - 1)) < firstIdAt(time)).toBe(true);
});
