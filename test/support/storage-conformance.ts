import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Storage, UnexpectedSize, UnsatisfiableRange } from '../../src/platform/storage/storage.ts';

const MB = 1024 * 1024;

/** Tests that every storage has to pass. A new storage is passed in as `open`. */
export function storageConformance(open: () => Promise<Storage>): void {
  let storage: Storage;
  beforeAll(async () => {
    storage = await open();
    return () => storage.close();
  });

  const read = async (path: string, range?: { start: number; end?: number }) => {
    const found = await storage.get(path, range);
    return found && (await buffer(found.content)).toString();
  };
  const names = async (prefix?: string) =>
    (await Readable.from(storage.list(prefix)).toArray()).map(({ path }) => path).toSorted();

  test('what was put is there, and can be replaced and deleted', async () => {
    expect(await storage.put('a/one.txt', Buffer.from('first'), { contentType: 'text/plain' })).toBe(5);
    expect(await read('a/one.txt')).toBe('first');
    expect(await storage.put('a/one.txt', Buffer.from('second one'))).toBe(10);
    expect(await read('a/one.txt')).toBe('second one');
    const head = await storage.head('a/one.txt');
    expect(head).toMatchObject({ path: 'a/one.txt', size: 10 });
    expect(Math.abs((head?.modifiedAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    await storage.delete('a/one.txt');
    expect(await storage.head('a/one.txt')).toBeUndefined();
    expect(await storage.get('a/one.txt')).toBeUndefined();
  });

  test('a file that is moved is at its new path alone, in place of what was there', async () => {
    await storage.put('from/here', Buffer.from('moved'));
    await storage.put('to/there', Buffer.from('replaced'));
    await storage.move('from/here', 'to/there');
    expect(await read('to/there')).toBe('moved');
    expect(await storage.head('from/here')).toBeUndefined();
    await expect(storage.move('from/here', 'to/there')).rejects.toThrow();
    expect(await read('to/there')).toBe('moved');
    await storage.delete('to/there');
  });

  test('what is not there is undefined, and deleting it is no error', async () => {
    expect(await storage.get('nothing/here')).toBeUndefined();
    expect(await storage.head('nothing/here')).toBeUndefined();
    await storage.delete('nothing/here');
    await storage.put('file', Buffer.from('x'));
    expect(await storage.head('file/below')).toBeUndefined();
    await storage.delete('file');
  });

  test('an empty file is a file', async () => {
    expect(await storage.put('empty', Buffer.alloc(0), { size: 0 })).toBe(0);
    expect(await storage.head('empty')).toMatchObject({ size: 0 });
    expect(await read('empty')).toBe('');
    await storage.delete('empty');
  });

  test.each([
    [{ start: 0, end: 1 }, '01'],
    [{ start: 3, end: 3 }, '3'],
    [{ start: 2, end: 4 }, '234'],
    [{ start: 7 }, '789'],
    [{ start: 8, end: 100 }, '89'],
  ])('of a file, %j can be read', async (range, expected) => {
    await storage.put('range', Buffer.from('0123456789'));
    expect(await read('range', range)).toBe(expected);
    const found = await storage.get('range', range);
    found?.content.destroy();
    expect(found?.file.size).toBe(10);
  });

  test('a range behind the end is an error of its own', async () => {
    await storage.put('range', Buffer.from('0123456789'));
    await expect(storage.get('range', { start: 10 })).rejects.toBeInstanceOf(UnsatisfiableRange);
    await storage.delete('range');
  });

  test.each([1, 5 * MB, 20 * MB + 7])(
    'a stream of %i bytes arrives whole, its size known or not',
    async (size) => {
      const content = randomBytes(size);
      const stream = () =>
        Readable.from(
          (function* () {
            for (let at = 0; at < size; at += 100_000) yield content.subarray(at, at + 100_000);
          })(),
        );
      for (const options of [{}, { size }]) {
        expect(await storage.put('stream', stream(), options)).toBe(size);
        const found = await storage.get('stream');
        expect(found?.file.size).toBe(size);
        expect(found && (await buffer(found.content)).equals(content)).toBe(true);
      }
      await storage.delete('stream');
    },
  );

  describe('a put that fails leaves what was there', () => {
    const broken = async function* (chunks: number, error: Error) {
      for (let count = 0; count < chunks; count++) yield Buffer.alloc(MB);
      throw error;
    };

    test.each([0, 1, 12])('when the content breaks after %i MB', async (chunks) => {
      await storage.put('kept', Buffer.from('before'));
      const error = new Error('the source broke');
      await expect(storage.put('kept', broken(chunks, error))).rejects.toThrow('the source broke');
      expect(await read('kept')).toBe('before');
      expect(await names('kept')).toEqual(['kept']);
    });

    test.each([
      ['less than was said', { size: 11 }],
      ['more than was said', { size: 9 }],
      ['more than is allowed', { maxSize: 9 }],
    ])('when it is %s', async (_what, options) => {
      await storage.put('kept', Buffer.from('before'));
      const content = Readable.from([Buffer.from('01234'), Buffer.from('56789')]);
      await expect(storage.put('kept', content, options)).rejects.toBeInstanceOf(UnexpectedSize);
      expect(await read('kept')).toBe('before');
    });

    test('when it is cancelled', async () => {
      const stop = new AbortController();
      const content = async function* () {
        yield Buffer.alloc(MB);
        stop.abort(new Error('cancelled by a person'));
        yield Buffer.alloc(MB);
      };
      await expect(storage.put('kept', content(), { signal: stop.signal })).rejects.toThrow(
        'cancelled by a person',
      );
      expect(await read('kept')).toBe('before');
      await storage.delete('kept');
    });
  });

  test('puts and deletes in one folder do not disturb each other', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `busy/folder/${index}`);
    await Promise.all(
      paths.map(async (path) => {
        await storage.put(path, Buffer.from(path));
        expect(await read(path)).toBe(path);
        await storage.delete(path);
      }),
    );
    expect(await names('busy/')).toEqual([]);
  });

  test('files are listed by prefix', async () => {
    const paths = ['l/a-b/x', 'l/a.txt', 'l/a/x', 'l/a0', 'l/b/c/d', 'l/B', 'm/x'];
    for (const path of paths) await storage.put(path, Buffer.from(path));
    const below = paths.filter((path) => path.startsWith('l/')).toSorted();
    expect(await names('l/')).toEqual(below);
    expect(await names('l/a')).toEqual(below.filter((path) => path.startsWith('l/a')));
    expect(await names('l/a/')).toEqual(['l/a/x']);
    expect(await names('nowhere/')).toEqual([]);
    expect(await names()).toEqual(paths.toSorted());
    expect((await Readable.from(storage.list('m/')).toArray())[0]).toMatchObject({ path: 'm/x', size: 3 });
    for (const path of paths) await storage.delete(path);
  });

  test.each([
    '',
    '/',
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a/./b',
    'a//b',
    'a/',
    '.partial/x',
    'a/.hidden',
    'a\\b',
    'a\0b',
    'a b',
    'ä',
    '%2e%2e/x',
    'a\nb',
    'C:x',
    `${'x'.repeat(201)}`,
  ])('%j is no path', async (path) => {
    await expect(storage.put(path, Buffer.from('x'))).rejects.toThrow('is not a valid storage path');
    await expect(storage.get(path)).rejects.toThrow('is not a valid storage path');
    await expect(storage.head(path)).rejects.toThrow('is not a valid storage path');
    await expect(storage.delete(path)).rejects.toThrow('is not a valid storage path');
    if (path !== '' && path !== 'a/') {
      await expect(names(path)).rejects.toThrow('is not a valid storage path');
    }
  });
}
