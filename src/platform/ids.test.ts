import { expect, test, vi } from 'vitest';
import { firstIdAt, newId } from './ids.ts';

test('ids are UUIDv7, and ids of one process sort by creation', () => {
  const ids = Array.from({ length: 20_000 }, newId);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('after the clock is set back, new ids still sort after earlier ones', () => {
  const before = newId();
  vi.useFakeTimers({ now: Date.now() - 3_600_000 });
  try {
    expect(newId() > before).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('the first id of a time sorts before all ids from that time on, and after earlier ones', () => {
  const time = new Date();
  expect(newId() > firstIdAt(time)).toBe(true);
  expect(firstIdAt(new Date(time.getTime() - 1)) < firstIdAt(time)).toBe(true);
});
