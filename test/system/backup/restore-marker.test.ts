/**
 * Restores whose last steps fail: the commit, or removing the marker from the storage.
 *
 * @module-tag slow
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import S3rver from 's3rver';
import { beforeAll, expect, test } from 'vitest';
import { selectStoredPaths } from '../../../src/features/media/files/stored-paths.ts';
import { fileDestination } from '../../../src/platform/backup/destination.ts';
import { RESTORE_MARKER } from '../../../src/platform/backup/empty-place.ts';
import { makeBackup } from '../../../src/platform/backup/make-backup.ts';
import { restoreBackup } from '../../../src/platform/backup/restore.ts';
import { listTables } from '../../../src/platform/backup/tables.ts';
import { readMigrations } from '../../../src/platform/database/migrator.ts';
import { openStorage } from '../../../src/platform/storage/open-storage.ts';
import type { Storage } from '../../../src/platform/storage/storage.ts';
import { useApp } from '../../support/app.ts';
import { runCommand } from '../../support/command.ts';
import { openTestDatabase, useDatabase } from '../../support/database.ts';
import { createReader, saveEpisode } from '../../support/libraries.ts';
import { openLosingProxy } from '../../support/losing-proxy.ts';
import { newDirectory } from '../../support/workspace.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_DATA_DIR: await newDirectory('data') });
const empty = () => useDatabase({ template: 'template0' });
const targets = { first: empty(), second: empty(), lost: empty(), failed: empty(), limited: empty() };
let file: string;
let stored: string;

beforeAll(async () => {
  const id = await saveEpisode(sql, await createReader(app));
  stored = `media/${id}/original.pdf`;
  await app.resources.storage.put(stored, Buffer.from('%PDF-'));
  await sql`update media set file_path = ${stored} where id = ${id}`;
  file = path.join(await newDirectory('backups'), 'whole.tar');
  await makeBackup(
    { sql, storage: app.resources.storage, selectPaths: selectStoredPaths },
    fileDestination(file),
  );
});

const pathsIn = async (storage: Pick<Storage, 'list'>) =>
  (await Readable.from(storage.list()).toArray()).map((found) => found.path as string).toSorted();

const localStorage = async () => openStorage({ kind: 'local', directory: await newDirectory('files') });

/** Passes requests on to an S3 store that answers 500 to every deletion. */
async function startStore() {
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await newDirectory('s3'),
    configureBuckets: [{ name: 'nexus', configs: [] }],
  });
  const { port } = await store.run();
  const front = http.createServer((request, response) => {
    if (request.method === 'DELETE') {
      response.writeHead(500).end();
      return;
    }
    const { method, url, headers } = request;
    const passed = http.request({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    async close() {
      front.closeAllConnections();
      front.close();
      await store.close();
    },
  };
}

test('a marker that cannot be deleted is a warning, and does not let a restore into another database delete the files', async () => {
  const { endpoint, close } = await startStore();
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const bucket = await openStorage({
    kind: 's3',
    endpoint,
    bucket: 'nexus',
    region: 'us-east-1',
    credentials,
    isPathStyle: true,
    hasDirectUploads: false,
  });
  const env = {
    NEXUS_STORAGE: 's3',
    NEXUS_S3_ENDPOINT: endpoint,
    NEXUS_S3_BUCKET: 'nexus',
    NEXUS_S3_REGION: 'us-east-1',
    NEXUS_S3_ACCESS_KEY_ID: credentials.accessKeyId,
    NEXUS_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    NEXUS_S3_PATH_STYLE: 'true',
  };
  try {
    const restored = await runCommand(['restore', file], { ...env, NEXUS_DATABASE_URL: targets.first.url });
    expect(restored.output).toContain(`the file ${RESTORE_MARKER} could not be deleted from the storage`);
    expect(restored.output).toContain('The integrity audit of 1 documents found nothing.');
    expect(restored.code).toBe(0);

    const other = await runCommand(['restore', file], { ...env, NEXUS_DATABASE_URL: targets.second.url });
    expect(other).toMatchObject({
      code: 1,
      output: expect.stringContaining('E_RESTORE_NOT_EMPTY: The storage has files of a restore into another'),
    });
    expect(await pathsIn(bucket)).toEqual([stored, RESTORE_MARKER]);
    expect(await listTables(targets.second.sql)).toHaveLength(0);
  } finally {
    bucket.close();
    await close();
  }
});

test('a restore whose commit is not answered keeps its files', async () => {
  const proxy = await openLosingProxy(targets.lost.target);
  const far = openTestDatabase({ ...targets.lost.target, host: '127.0.0.1', port: proxy.port });
  const storage = await localStorage();
  try {
    const restoring = restoreBackup(
      {
        sql: far,
        storage,
        migrations: await readMigrations(),
        beforeCommit: async () => proxy.cut('Q\0\0\0\x0bcommit\0'),
      },
      file,
    );
    expect((await restoring).migrated).toEqual([]);
    expect(proxy.cuts()).toBe(1);
    expect(await pathsIn(storage)).toEqual([stored]);
    const [media] = await targets.lost.sql`select file_path from media`;
    expect(media).toEqual({ file_path: stored });
  } finally {
    await far.end();
    proxy.close();
  }
});

test('a restore whose commit fails leaves no files', async () => {
  const storage = await localStorage();
  const restoring = restoreBackup(
    {
      sql: targets.failed.sql,
      storage,
      migrations: await readMigrations(),
      beforeCommit: (tx) =>
        tx.script(`
          create function refuse() returns trigger language plpgsql as $$ begin raise 'no commit'; end $$;
          create constraint trigger refuse after update on media
            deferrable initially deferred for each row execute function refuse();
          update media set id = id`),
    },
    file,
  );
  await expect(restoring).rejects.toThrow('no commit');
  expect(await pathsIn(storage)).toEqual([]);
  expect(await listTables(targets.failed.sql)).toHaveLength(0);
});

test('a marker without a name of the database, as a role without rights writes it, is not honoured', async () => {
  const storage = await localStorage();
  await storage.put(RESTORE_MARKER, Buffer.from('unknown'));
  await storage.put(stored, Buffer.from('%PDF-'));
  const migrations = await readMigrations();
  const restoring = restoreBackup(
    { sql: targets.limited.sql, storage, migrations, beforeCommit: async () => undefined },
    file,
  );
  await expect(restoring).rejects.toMatchObject({ code: 'E_RESTORE_NOT_EMPTY' });
  expect(await pathsIn(storage)).toEqual([stored, RESTORE_MARKER]);
});
