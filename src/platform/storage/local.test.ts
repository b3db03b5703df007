import { mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { storageConformance } from '../../../test/support/storage-conformance.ts';
import { newDirectory } from '../../../test/support/workspace.ts';
import { openLocalStorage } from './local.ts';

describe('local storage', () =>
  storageConformance(async () => openLocalStorage(await newDirectory('files'))));

test('the storage directory is private; its parent, which also contains the data of PostgreSQL, is not', async () => {
  const above = path.join(await newDirectory('files'), 'data');
  await openLocalStorage(path.join(above, 'files'));
  expect((await stat(path.join(above, 'files'))).mode & 0o777).toBe(0o700);
  expect((await stat(above)).mode & 0o777).toBe(0o777 & ~process.umask());
});

// S3 itself promises this. The server that stands for it in tests mixes parallel puts.
test('of many puts to one path at once, one wins whole', async () => {
  const storage = await openLocalStorage(await newDirectory('files'));
  const contents = Array.from({ length: 8 }, (_, index) => Buffer.alloc(200_000, `${index}`));
  await Promise.all(contents.map((content) => storage.put('contested', content)));
  const found = await storage.get('contested');
  const winner = found && (await buffer(found.content));
  expect(contents.some((content) => winner?.equals(content))).toBe(true);
});

test('symbolic links in the directory are not followed', async () => {
  const [directory, elsewhere] = [await newDirectory('files'), await newDirectory('elsewhere')];
  await writeFile(path.join(elsewhere, 'secret'), 'secret');
  const storage = await openLocalStorage(directory);
  await storage.put('real', Buffer.from('x'));
  await symlink(path.join(elsewhere, 'secret'), path.join(directory, 'link'));
  await symlink(elsewhere, path.join(directory, 'folder'));
  for (const name of ['link', 'folder/secret']) {
    expect(await storage.head(name)).toBeUndefined();
    expect(await storage.get(name)).toBeUndefined();
  }
  await storage.delete('folder/secret');
  await expect(storage.put('folder/new', Buffer.from('x'))).rejects.toThrow(
    'is outside the storage directory',
  );
  expect(await readdir(elsewhere)).toEqual(['secret']);
  expect((await Readable.from(storage.list()).toArray()).map((file) => file.path)).toEqual(['real']);
  // Replaces the link, not its target.
  await storage.put('link', Buffer.from('mine'));
  expect(await storage.head('link')).toMatchObject({ size: 4 });
});

test('a directory is not a file', async () => {
  const directory = await newDirectory('files');
  const storage = await openLocalStorage(directory);
  await mkdir(path.join(directory, 'folder'));
  expect(await storage.get('folder')).toBeUndefined();
  expect(await storage.head('folder')).toBeUndefined();
});

test('a failed write leaves no file, and files of a crash are removed after a day', async () => {
  const directory = await newDirectory('files');
  const storage = await openLocalStorage(directory);
  await expect(storage.put('x', Buffer.from('too large'), { maxSize: 1 })).rejects.toThrow();
  const partial = path.join(directory, '.partial');
  expect(await readdir(partial)).toEqual([]);
  await writeFile(path.join(partial, 'old'), 'x');
  await writeFile(path.join(partial, 'young'), 'x');
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  await utimes(path.join(partial, 'old'), yesterday, yesterday);
  await openLocalStorage(directory);
  expect(await readdir(partial)).toEqual(['young']);
});

test('a folder is deleted with its last file', async () => {
  const directory = await newDirectory('files');
  const storage = await openLocalStorage(directory);
  await storage.put('media/1/original.pdf', Buffer.from('x'));
  await storage.put('media/2/original.pdf', Buffer.from('x'));
  await storage.delete('media/1/original.pdf');
  expect(await readdir(path.join(directory, 'media'))).toEqual(['2']);
});
