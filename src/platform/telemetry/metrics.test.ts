import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics } from './metrics.ts';

async function timing(milliseconds: number[]) {
  const metrics = createMetrics();
  for (const value of milliseconds)
    metrics.observeRequest({ method: 'GET', route: '/', status: 200, seconds: value / 1000 });
  return (await metrics.read()).timings['http.request.ms'];
}

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

test.each([
  [1, 1],
  [2, 1],
  [19, 18],
  [20, 19],
  [100, 95],
  [1000, 950],
])('p95 of 1 to %i is %i, whatever the order', async (n, expected) => {
  expect((await timing(upTo(n).reverse()))?.p95_ms).toBe(expected);
});

test('count and average run over everything, p95 over the latest thousand', async () => {
  expect(await timing([...Array(5000).fill(1000), ...Array(1000).fill(10)])).toEqual({
    count: 6000,
    avg_ms: 835,
    p95_ms: 10,
  });
});

test('requests are counted by status, across methods and routes', async () => {
  const metrics = createMetrics();
  const answer = { seconds: undefined, method: 'GET', status: 200 };
  metrics.observeRequest({ ...answer, route: '/a' });
  metrics.observeRequest({ ...answer, route: '/b', method: 'POST' });
  metrics.observeRequest({ ...answer, route: '/b', status: 404 });
  expect(await metrics.read()).toEqual({
    counters: { 'http.status.200': 2, 'http.status.404': 1 },
    timings: {},
  });
});

test('a gauge is in both formats, and a source that fails takes no other with it', async () => {
  const metrics = createMetrics();
  metrics.addSource(() => [{ name: 'nexus_waiting', help: 'Waiting.', value: 3, key: 'waiting' }]);
  metrics.addSource(async () => {
    throw new Error('The database is down.');
  });
  metrics.addSource(() => [{ name: 'nexus_open', help: 'Open.', labels: { queue: 'a' }, value: 1 }]);
  expect((await metrics.read()).counters).toEqual({ waiting: 3 });
  const written = await metrics.write();
  expect(written).toContain('nexus_waiting 3');
  expect(written).toContain('nexus_open{queue="a"} 1');
});

test('a gauge that can no longer be measured is left out, instead of being 0', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const metrics = createMetrics();
  let isDown = false;
  metrics.addSource(() => {
    if (isDown) throw new Error('The database is down.');
    return [{ name: 'nexus_waiting', help: 'Waiting.', value: 3 }];
  });
  expect(await metrics.write()).toContain('nexus_waiting 3');
  isDown = true;
  vi.advanceTimersByTime(5001);
  expect(await metrics.write()).not.toContain('nexus_waiting');
});
