import { expect, test } from 'vitest';
import { createGate } from './gate.ts';

function refuse(): never {
  throw new Error('full');
}

test('runs a limited number in parallel, queues a limited number in order, and refuses the rest', async () => {
  const gate = createGate({ running: 2, waiting: 3 }, refuse);
  let running = 0;
  let maxRunning = 0;
  const order: number[] = [];
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, (_, number) =>
      gate(async () => {
        running += 1;
        maxRunning = Math.max(maxRunning, running);
        order.push(number);
        await new Promise(setImmediate);
        running -= 1;
        return number;
      }),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual([
    ...Array(5).fill('fulfilled'),
    ...Array(3).fill('rejected'),
  ]);
  expect([maxRunning, order]).toEqual([2, [0, 1, 2, 3, 4]]);
});

test('failed work frees its slot', async () => {
  const gate = createGate({ running: 1, waiting: 1 }, refuse);
  const failed = gate(async () => refuse());
  const waiting = gate(async () => 'done');
  await expect(failed).rejects.toThrow('full');
  expect(await waiting).toBe('done');
  expect(await gate(async () => 'again')).toBe('again');
});
