import { expect, test } from 'vitest';
import { newDirectory } from '../../../test/support/workspace.ts';
import { openLocalStorage } from './local.ts';
import { findOrphans } from './orphans.ts';

test('orphans are old files below the prefix that nothing refers to', async () => {
  const storage = await openLocalStorage(await newDirectory('files'));
  const known = ['media/2/x', 'media/5/x'];
  for (let index = 0; index < 7; index++) await storage.put(`media/${index}/x`, Buffer.from('x'));
  await storage.put('other/x', Buffer.from('x'));
  const queried: string[][] = [];
  const find = async (olderThan: Date) => {
    const knownAmong = async (paths: string[]) => {
      queried.push(paths);
      return known.filter((path) => paths.includes(path));
    };
    const found: string[] = [];
    const orphans = findOrphans(storage, knownAmong, { prefix: 'media/', olderThan, batchSize: 3 });
    for await (const { path } of orphans) found.push(path);
    return found.toSorted();
  };

  expect(await find(new Date(Date.now() + 60_000))).toEqual(
    [0, 1, 3, 4, 6].map((index) => `media/${index}/x`),
  );
  expect(queried.map((paths) => paths.length)).toEqual([3, 3, 1]);
  expect(await find(new Date(Date.now() - 60_000))).toEqual([]);
});
