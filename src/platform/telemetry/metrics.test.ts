import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

function timing(values: number[]) {
  const metrics = createMetrics();
  for (const value of values) metrics.observe('t', value);
  return metrics.snapshot().timings.t;
}

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

test.each([
  [1, 1],
  [2, 1],
  [19, 18],
  [20, 19],
  [100, 95],
  [1000, 950],
])('p95 of 1 to %i is %i, whatever the order', (n, expected) => {
  expect(timing(upTo(n).reverse())?.p95_ms).toBe(expected);
});

test('count and average run over everything, p95 over the latest thousand', () => {
  expect(timing([...Array(5000).fill(1000), ...Array(1000).fill(10)])).toEqual({
    count: 6000,
    avg_ms: 835,
    p95_ms: 10,
  });
});

test('counters add up', () => {
  const metrics = createMetrics();
  metrics.increment('a');
  metrics.increment('a', 2);
  expect(metrics.snapshot()).toEqual({ counters: { a: 3 }, timings: {} });
});
