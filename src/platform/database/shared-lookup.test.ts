import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { shareLookups } from './shared-lookup.ts';

function countingLookup() {
  const asked: string[] = [];
  const find = async (name: string) => asked.push(name);
  return { asked, find: shareLookups(find, (name) => name) };
}

test('equal keys of one turn of the event loop are looked up once, others each', async () => {
  const { asked, find } = countingLookup();
  await Promise.all([find('a'), find('b'), find('a'), find('a')]);
  expect(asked).toEqual(['a', 'b']);
});

test('a lookup that has started is not shared with later callers, who must see later commits', async () => {
  const { asked, find } = countingLookup();
  const first = find('a');
  await setImmediate();
  expect(asked).toEqual(['a']);
  await Promise.all([first, find('a')]);
  expect(asked).toEqual(['a', 'a']);
});

test('a failed lookup fails all who share it, and no one after them', async () => {
  let calls = 0;
  const find = shareLookups(
    async () => {
      calls += 1;
      if (calls === 1) throw new Error('lost');
      return calls;
    },
    () => 'key',
  );
  const results = await Promise.allSettled([find({}), find({})]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find({})).toBe(2);
});
