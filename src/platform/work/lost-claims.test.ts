import { afterEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../../test/support/jobs.ts';
import { createLostClaims } from './lost-claims.ts';

afterEach(() => vi.useRealTimers());

test('a release that fails after the end is not tried again, and counts as a claim that is left', async () => {
  vi.useFakeTimers();
  const failures: (() => void)[] = [];
  const release = vi.fn(
    () => new Promise<number>((_, reject) => failures.push(() => reject(new Error('The pool has ended.')))),
  );
  const claims = createLostClaims({ log: silentLog, leaseSeconds: 30, release, onReleased: () => undefined });
  claims.add('a token');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(release).toHaveBeenCalledTimes(2);
  expect(claims.areLeft()).toBe(true);
  claims.close();
  for (const fail of failures) fail();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(release).toHaveBeenCalledTimes(2);
  expect(vi.getTimerCount()).toBe(0);
  expect(claims.areLeft()).toBe(false);
});
