import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFile,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newDirectory } from '../../../test/support/workspace.ts';
import { createArchiveWriter } from './archive-writer.ts';
import { fileDestination } from './destination.ts';
import type { Header, Manifest } from './format.ts';
import { verifyBackup } from './verify.ts';

const DAMAGED = { code: 'E_BACKUP_DAMAGED' };
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');

const header: Header = {
  format: 1,
  nexus_version: '0.1.0',
  postgresql_version: '18.4',
  created_at: '2026-01-31T00:00:00.000Z',
  migrations: [{ version: 1, name: '0001_identity', checksum: 'c' }],
  tables: [
    { name: 'users', columns: ['id', 'name'] },
    { name: 'empty', columns: ['id'] },
  ],
};
const parts = [Buffer.from('1\tana\n2\tben\n'), Buffer.from('3\tcy\\nd\n')];
const rows = Buffer.concat(parts);
const file = randomBytes(3000);

type Entry = [name: string, content: Buffer];

function entriesOf(changed: { header?: object; manifest?: object } = {}): Entry[] {
  const manifest: Manifest = {
    tables: {
      users: { rows: 3, bytes: rows.length, sha256: sha256(rows) },
      empty: { rows: 0, bytes: 0, sha256: sha256(Buffer.alloc(0)) },
    },
    sequences: [],
    files: { count: 2, bytes: file.length },
    missing_files: { count: 0, paths: [] },
  };
  const lines = [`${sha256(file)}  files/media/1/a.pdf`, `${sha256(Buffer.alloc(0))}  files/b`];
  return [
    ['nexus-backup.json', Buffer.from(JSON.stringify({ ...header, ...changed.header }))],
    ...parts.map(
      (part, index): Entry => [`tables/users/00000${index + 1}.copy.gz`, gzipSync(part, { level: 1 })],
    ),
    ['files/media/1/a.pdf', file],
    ['files/b', Buffer.alloc(0)],
    ['checksums/000001.sha256', Buffer.from(`${lines.join('\n')}\n`)],
    ['manifest.json', Buffer.from(JSON.stringify({ ...manifest, ...changed.manifest }))],
  ];
}

let directory: string;
let whole: string;

async function write(name: string, entries: Entry[]): Promise<string> {
  const target = path.join(directory, name);
  const destination = fileDestination(target);
  const archive = createArchiveWriter(await destination.open(), new Date());
  for (const [entry, content] of entries) await archive.add(entry, content);
  await archive.finish();
  await destination.commit();
  return target;
}

beforeAll(async () => {
  directory = await newDirectory('backup');
  whole = await write('whole.tar', entriesOf());
});

test('a whole backup is accepted, and only its owner may read it', async () => {
  const { manifest, digest, bytes } = await verifyBackup(whole);
  expect(manifest.tables.users).toMatchObject({ rows: 3 });
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  const { mode, size } = await stat(whole);
  expect({ mode: mode & 0o777, size }).toEqual({ mode: 0o600, size: bytes });
});

test('a target that is not a regular file is refused, and stays', async () => {
  const [pipe, link, folder] = ['pipe', 'link', 'folder'].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ];
  await promisify(execFile)('mkfifo', [pipe]);
  await symlink(whole, link);
  await mkdir(folder);
  for (const target of [pipe, link, folder]) {
    const before = await lstat(target);
    await expect(fileDestination(target).open()).rejects.toThrow('write to standard output with `-`');
    expect((await lstat(target)).ino).toBe(before.ino);
  }
  expect((await readdir(directory)).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

describe('a backup that is not as it was written is refused', () => {
  test('with one changed byte, wherever it is', async () => {
    const original = await readFile(whole);
    const altered = path.join(directory, 'altered.tar');
    await copyFile(whole, altered);
    const change = fc.record({ at: fc.nat(original.length - 1), by: fc.integer({ min: 1, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, by }) => {
        const handle = await open(altered, 'r+');
        await handle.write(Buffer.from([(original[at] ?? 0) ^ by]), 0, 1, at);
        await expect(verifyBackup(altered)).rejects.toMatchObject(DAMAGED);
        await handle.write(original.subarray(at, at + 1), 0, 1, at);
        await handle.close();
      }),
      { numRuns: 300 },
    );
    await verifyBackup(altered);
  });

  test('truncated anywhere, or continued', async () => {
    const { size } = await stat(whole);
    const cut = path.join(directory, 'cut.tar');
    const length = fc.oneof(
      fc.nat(size - 1),
      fc.nat(size / 512 - 1).map((blocks) => blocks * 512),
    );
    await fc.assert(
      fc.asyncProperty(length, async (kept) => {
        await copyFile(whole, cut);
        await truncate(cut, kept);
        await expect(verifyBackup(cut)).rejects.toMatchObject(DAMAGED);
      }),
      { numRuns: 200 },
    );
    await copyFile(whole, cut);
    await appendFile(cut, Buffer.alloc(512));
    await expect(verifyBackup(cut)).rejects.toMatchObject(DAMAGED);
  });

  /** These have a right digest: they show that the checks below it work. */
  test.each<[string, (entries: Entry[]) => Entry[]]>([
    ['without a file', (entries) => entries.filter(([name]) => name !== 'files/b')],
    ['without a part of a table', (entries) => entries.filter(([name]) => !name.includes('000001.copy'))],
    ['with parts in another order', ([first, one, two, ...rest]) => [first, two, one, ...rest] as Entry[]],
    ['without checksums', (entries) => entries.filter(([name]) => !name.startsWith('checksums'))],
    ['without a manifest', (entries) => entries.slice(0, -1)],
    ['with something after the manifest', (entries) => [...entries, ['files/late', file]]],
    ['without a header', (entries) => entries.slice(1)],
    [
      'with a table that its header does not name',
      ([first, ...rest]) => [first, ['tables/others/000001.copy.gz', gzipSync('1\n')], ...rest] as Entry[],
    ],
    [
      'with other content of a file',
      (entries) => entries.map(([name, content]) => [name, name === 'files/b' ? file : content]),
    ],
    [
      'with rows that are not compressed',
      (entries) => entries.map(([name, content]) => [name, name.includes('000002.copy') ? rows : content]),
    ],
  ])('%s', async (_name, change) => {
    const changed = await write('changed.tar', change(entriesOf()));
    await expect(verifyBackup(changed)).rejects.toMatchObject(DAMAGED);
  });

  test.each<[string, Buffer]>([
    ['empty', Buffer.alloc(0)],
    ['noise', randomBytes(10_000)],
    ['zeros', Buffer.alloc(10_240)],
    ['a text', Buffer.from('hello '.repeat(1000))],
  ])('a file that is none: %s', async (_name, content) => {
    const other = path.join(directory, 'other.tar');
    await writeFile(other, content);
    await expect(verifyBackup(other)).rejects.toMatchObject(DAMAGED);
  });
});

test('a backup of a later format is refused as newer, whatever else it has', async () => {
  const newer = await write('newer.tar', entriesOf({ header: { format: 2, compression: 'zstd' } }));
  await expect(verifyBackup(newer)).rejects.toMatchObject({ code: 'E_BACKUP_NEWER' });
});

test('a file that cannot be read, and a directory, are named', async () => {
  await expect(verifyBackup(path.join(directory, 'nowhere.tar'))).rejects.toThrow(
    /nowhere\.tar cannot be read/,
  );
  await expect(verifyBackup(directory)).rejects.toMatchObject(DAMAGED);
});
