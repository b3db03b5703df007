/**
 * Backs up, verifies and restores a Nexus in use. Later tests use the data of the first.
 *
 * @module-tag slow
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import S3rver from 's3rver';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { selectStoredPaths } from '../../../src/features/media/files/stored-paths.ts';
import { type Destination, fileDestination } from '../../../src/platform/backup/destination.ts';
import { makeBackup } from '../../../src/platform/backup/make-backup.ts';
import { restoreBackup } from '../../../src/platform/backup/restore.ts';
import { copyStatement, listTables } from '../../../src/platform/backup/tables.ts';
import { verifyBackup } from '../../../src/platform/backup/verify.ts';
import { bulkTransaction, openBulkPool } from '../../../src/platform/database/bulk.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import {
  applyPending,
  lockSchema,
  migrate,
  readMigrations,
} from '../../../src/platform/database/migrator.ts';
import { identifier } from '../../../src/platform/database/statement.ts';
import { transaction } from '../../../src/platform/database/transaction.ts';
import { openStorage } from '../../../src/platform/storage/open-storage.ts';
import type { Storage } from '../../../src/platform/storage/storage.ts';
import { random } from '../../crash/jobs/crew.ts';
import { useApp } from '../../support/app.ts';
import { runCommand } from '../../support/command.ts';
import { type TestDatabase, useDatabase } from '../../support/database.ts';
import { createLibrary, createReader, join, type Reader, saveEpisode } from '../../support/libraries.ts';
import { dumpSchema } from '../../support/schema-dump.ts';
import { newDirectory } from '../../support/workspace.ts';

const dataDir = await newDirectory('data');
const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_DATA_DIR: dataDir });
const empty = () => useDatabase({ template: 'template0' });
const targets = {
  quiet: empty(),
  loaded: empty(),
  refused: empty(),
  cloud: empty(),
  old: empty(),
  upgraded: empty(),
  migrated: empty(),
};
const source = () => ({ sql, storage: app.resources.storage, selectPaths: selectStoredPaths });
const environment = ({ url }: TestDatabase, directory: string) => ({
  NEXUS_DATABASE_URL: url,
  NEXUS_DATA_DIR: directory,
});

let reader: Reader;
let friend: Reader;
let library: string;
let backups: string;

beforeAll(async () => {
  reader = await createReader(app);
  friend = await createReader(app);
  library = await createLibrary(reader);
  await join(reader, library, friend);
  backups = await newDirectory('backups');
});

/** Saves a media with a file. Its text needs no extractor, so that the audit has nothing to report. */
async function saveWithFile(bytes: Buffer): Promise<string> {
  const id = await saveEpisode(sql, reader);
  const file = `media/${id}/original.pdf`;
  await app.resources.storage.put(file, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await sql`
    update media
    set file_path = ${file}, file_size = ${bytes.length}, file_sha256 = ${sha256}, file_content_type = 'application/pdf'
    where id = ${id}`;
  return id;
}

/** Deletes a media permanently, unless a library has it. */
async function purge(id: string): Promise<void> {
  await reader.delete(`/api/v1/media/${id}`);
  await reader.delete(`/api/v1/trash/${id}`);
}

/** The checksum of every table. */
async function checksums(on: Database): Promise<Record<string, string>> {
  const pool = openBulkPool(on, 1);
  try {
    return await bulkTransaction(pool, 'snapshot', async (tx) => {
      const found: Record<string, string> = {};
      for (const table of await listTables(tx)) {
        const hash = createHash('sha256');
        for await (const chunk of tx.copyTo(await copyStatement(tx, table))) hash.update(chunk);
        found[table.name] = hash.digest('hex');
      }
      return found;
    });
  } finally {
    await pool.end();
  }
}

const pathsIn = async (storage: Pick<Storage, 'list'>) =>
  (await Readable.from(storage.list()).toArray()).map((file) => file.path as string).toSorted();

async function filesOf(directory: string): Promise<string[]> {
  const storage = await openStorage({ kind: 'local', directory: path.join(directory, 'files') });
  return pathsIn(storage);
}

const releases: (() => void)[] = [];
afterEach(() => {
  for (const release of releases.splice(0)) release();
});

/** A file that takes a number of bytes and then waits until it is released. */
function stalling(file: string, after: number) {
  const real = fileDestination(file);
  let seen = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  releases.push(() => release());
  let stall: () => void = () => undefined;
  const stalled = new Promise<void>((resolve) => {
    stall = resolve;
  });
  const destination: Destination = {
    ...real,
    async open() {
      const sink = await real.open();
      const gate = new Transform({
        async transform(chunk: Buffer, _encoding, done) {
          seen += chunk.length;
          if (seen > after) {
            stall();
            await released;
          }
          done(null, chunk);
        },
        destroy(error, done) {
          sink.destroy();
          done(error);
        },
        flush(done) {
          sink.once('close', () => done());
          sink.end();
        },
      });
      gate.on('data', (chunk) => {
        if (!sink.write(chunk)) {
          gate.pause();
          sink.once('drain', () => gate.resume());
        }
      });
      return gate;
    },
  };
  return { destination, stalled, release };
}

/** A file that tells when it is opened, which is after the lock of backups is taken and before anything is read. */
function noticing(file: string) {
  const real = fileDestination(file);
  let notice: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    notice = resolve;
  });
  const open = () => real.open().finally(notice);
  return { destination: { ...real, open }, opened };
}

test('every table, file and right is the same after a restore', async () => {
  for (let n = 0; n < 5; n++) await saveWithFile(Buffer.alloc(n * 300_000, `file ${n}`));
  await reader.post(`/libraries/${library}/media`, { media_id: await saveWithFile(Buffer.from('shared')) });
  await sql`
    insert into jobs (id, job_type, queue, payload, cancelled_at)
    values ('01a00000-0000-7000-8000-000000000001', 'x', 'x', '{}', now())`;
  await sql`
    insert into outbox_event (id, event_type, schema_version, aggregate_type, aggregate_id, payload, idempotency_key)
    values (gen_random_uuid(), 'library.renamed', 1, 'library', 'x', ${JSON.stringify({ text: 'tab\t line\n \\N \\. "é😀' })}, ${'k\u0001\u001f'})`;
  await sql`insert into workers (id, name, queues, concurrency, lease_expires_at)
    values (gen_random_uuid(), 'gone', '{x}', 1, now() + interval '1 hour')`;
  await sql`insert into sign_in_links (token_hash, user_id, expires_at)
    values (${Buffer.alloc(32, 7)}, ${reader.id}, now() + interval '1 day')`;
  const file = path.join(backups, 'quiet.tar');
  const before = await checksums(sql);
  const made = await runCommand(['backup', file], environment(database, dataDir));
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Wrote .*quiet\.tar: [\d,]+ rows in \d+ tables, 6 files/),
  });
  expect(await runCommand(['backup', '--verify', file], {})).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is complete and unaltered'),
  });
  expect(await readdir(backups)).toEqual(['quiet.tar']);

  const directory = await newDirectory('data');
  const restored = await runCommand(['restore', file], environment(targets.quiet, directory));
  expect(restored.stdout).toMatch(/^media +6 +equal$/m);
  expect(restored.stdout).toMatch(/The integrity audit of 6 documents found nothing\./);
  expect(restored.code).toBe(0);

  const after = await checksums(targets.quiet.sql);
  const differing = Object.keys(before).filter((table) => after[table] !== before[table]);
  // Sessions end, leases expire, and the restore and its audit leave their traces.
  expect(differing.toSorted()).toEqual([
    'audit_logs',
    'job_attempts',
    'jobs',
    'outbox_event',
    'sign_in_links',
    'workers',
  ]);
  const { sql: copy } = targets.quiet;
  const [events] = await sql`select array_agg(t order by id)::text as all from outbox_event t`;
  const [copied] = await copy`
    select array_agg(t order by id)::text as all from outbox_event t where event_type <> 'job.succeeded'`;
  expect(copied).toEqual(events);
  expect(await copy`select from sign_in_links`).toHaveLength(0);
  expect(await copy`select from workers where name = 'gone' and lease_expires_at < now()`).toHaveLength(1);
  expect(await dumpSchema(copy)).toBe(await dumpSchema(sql));
  expect(await filesOf(directory)).toEqual(await filesOf(dataDir));
  for (const name of await filesOf(directory)) {
    const [one, other] = [dataDir, directory].map((root) => readFile(path.join(root, 'files', name)));
    expect((await one)?.equals((await other) as Buffer)).toBe(true);
  }
  const [{ made_at } = {}] =
    await sql`select max(created_at) as made_at from audit_logs where action = 'backup.made'`;
  expect(made_at).toBeInstanceOf(Date);
});

test('a backup of S3 restores into S3', async () => {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await newDirectory('s3'),
    configureBuckets: [
      { name: 'one', configs: [] },
      { name: 'two', configs: [] },
    ],
  });
  const endpoint = `http://127.0.0.1:${(await server.run()).port}`;
  const bucket = (name: string) =>
    openStorage({
      kind: 's3',
      endpoint,
      bucket: name,
      region: 'us-east-1',
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      isPathStyle: true,
      hasDirectUploads: false,
    });
  const [one, two] = [await bucket('one'), await bucket('two')];
  try {
    const names = await filesOf(dataDir);
    for (const name of names) await one.put(name, await readFile(path.join(dataDir, 'files', name)));
    const file = path.join(backups, 'cloud.tar');
    const { manifest } = await makeBackup({ ...source(), storage: one }, fileDestination(file));
    expect(manifest.missing_files.count).toBe(0);
    const target = {
      sql: targets.cloud.sql,
      storage: two,
      migrations: await readMigrations(),
      beforeCommit: async () => undefined,
    };
    await restoreBackup(target, file);
    expect(await pathsIn(two)).toHaveLength(manifest.files.count);
    expect(await checksums(targets.cloud.sql)).toEqual(
      Object.fromEntries(Object.entries(manifest.tables).map(([name, { sha256 }]) => [name, sha256])),
    );
  } finally {
    one.close();
    two.close();
    await server.close();
  }
});

test('a backup under load is one moment: files purged meanwhile are in it, and later saves are not', async () => {
  const ids: string[] = [];
  await sql`insert into webhooks (id, url) values (gen_random_uuid(), 'https://example.org/hook')`;
  for (let n = 0; n < 12; n++) ids.push(await saveWithFile(Buffer.alloc(400_000, `doomed ${n}`)));
  const file = path.join(backups, 'loaded.tar');
  // The tables have some 100 KB, so it stalls among the files.
  const { destination, stalled, release } = stalling(file, 1_000_000);
  const making = makeBackup(source(), destination);
  await stalled;

  await Promise.all(ids.map(purge));
  const late = await saveWithFile(Buffer.from('late'));
  expect(await sql`select from media where id = any(${ids}::uuid[])`).toHaveLength(0);
  expect((await filesOf(dataDir)).filter((name) => ids.some((id) => name.includes(id)))).toHaveLength(12);
  await expect(makeBackup(source(), fileDestination(path.join(backups, 'second.tar')))).rejects.toMatchObject(
    {
      code: 'E_BACKUP_RUNNING',
    },
  );

  // A storm of saves, purges, members who come and go, until the backup is done.
  const chance = random(20261117);
  let isOver = false;
  const storm = Promise.all(
    Array.from({ length: 3 }, async () => {
      const own: string[] = [];
      while (!isOver) {
        const dice = chance();
        if (dice < 0.4) own.push(await saveWithFile(Buffer.from(`storm ${dice}`)));
        else if (dice < 0.7) await purge(own.splice(Math.floor(chance() * own.length), 1)[0] ?? late);
        else await reader.post(`/libraries/${library}/media`, { media_id: own[0] ?? late });
        await turn();
      }
    }),
  );
  release();
  const { manifest } = await making;
  isOver = true;
  await storm;
  expect(manifest.missing_files.count).toBe(0);
  expect(await readdir(backups)).not.toContain('second.tar');

  const directory = await newDirectory('data');
  const restored = await runCommand(
    ['restore', '--no-webhooks', file],
    environment(targets.loaded, directory),
  );
  const [webhook] = await targets.loaded.sql`select disabled_reason from webhooks`;
  expect(webhook).toEqual({ disabled_reason: 'Disabled when a backup was restored.' });
  expect(restored.output).toMatch(/The integrity audit of \d+ documents found nothing\./);
  const rows = await targets.loaded.sql<{ id: string }[]>`select id from media`;
  const there = new Set(rows.map(({ id }) => id));
  expect(ids.filter((id) => there.has(id))).toEqual(ids);
  expect(there.has(late)).toBe(false);
  expect((await filesOf(directory)).filter((name) => ids.some((id) => name.includes(id)))).toHaveLength(12);
});

test('backups that run again and again in a storm are each consistent', async () => {
  const chance = random(7);
  let isOver = false;
  const storm = Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const own: string[] = [];
      while (!isOver) {
        if (own.length < 5 || chance() < 0.5)
          own.push(await saveWithFile(Buffer.alloc(50_000, `${index} ${chance()}`)));
        else await purge(own.splice(Math.floor(chance() * own.length), 1)[0] as string);
      }
    }),
  );
  for (let n = 0; n < 4; n++) {
    const { manifest } = await makeBackup(source(), fileDestination(path.join(backups, 'storm.tar')));
    expect(manifest.missing_files).toEqual({ count: 0, paths: [] });
    const { rows } = (await verifyBackup(path.join(backups, 'storm.tar'))).manifest.tables.media ?? {};
    expect(rows).toBeGreaterThan(0);
  }
  isOver = true;
  await storm;
});

describe('a restore is refused, and writes nothing', () => {
  let file: string;
  beforeAll(async () => {
    file = path.join(backups, 'refused.tar');
    await makeBackup(source(), fileDestination(file));
  });
  const target = targets.refused;
  const requireUntouched = async (directory: string) => {
    expect(await listTables(target.sql)).toHaveLength(0);
    expect(await filesOf(directory)).toEqual([]);
  };

  test('when the backup is altered or truncated', async () => {
    const whole = await readFile(file);
    const chance = random(3);
    const directory = await newDirectory('data');
    const altered = path.join(backups, 'altered.tar');
    for (let n = 0; n < 6; n++) {
      const at = Math.floor(chance() * whole.length);
      const bytes = n % 2 ? whole.subarray(0, at) : Buffer.from(whole);
      if (n % 2 === 0) bytes[at] = (bytes[at] ?? 0) ^ 0x20;
      await writeFile(altered, bytes);
      const { code, output } = await runCommand(['restore', altered], environment(target, directory));
      expect(output).toContain('nexus: E_BACKUP_DAMAGED: ');
      expect(code).toBe(1);
    }
    await requireUntouched(directory);
  });

  test('when the database or the storage is not empty', async () => {
    const directory = await newDirectory('data');
    const full = await runCommand(['restore', file], environment(database, directory));
    expect(full).toMatchObject({ code: 1, output: expect.stringContaining('E_RESTORE_NOT_EMPTY') });
    const taken = await runCommand(['restore', file], environment(target, dataDir));
    expect(taken).toMatchObject({
      code: 1,
      output: expect.stringContaining('The storage has files already'),
    });
    await target.sql`create table foreign_to_nexus ()`;
    const foreign = await runCommand(['restore', file], environment(target, directory));
    expect(foreign.output).toContain('tables that are not of Nexus, such as foreign_to_nexus');
    await target.sql`drop table foreign_to_nexus`;
    await requireUntouched(directory);
  });

  test('when a newer release, or another build, made the backup', async () => {
    const directory = await newDirectory('data');
    const storage = await openStorage({ kind: 'local', directory: path.join(directory, 'files') });
    const migrations = await readMigrations();
    const into = (known: typeof migrations) =>
      restoreBackup(
        { sql: target.sql, storage, migrations: known, beforeCommit: async () => undefined },
        file,
      );
    await expect(into(migrations.slice(0, -1))).rejects.toMatchObject({ code: 'E_BACKUP_NEWER' });
    const edited = migrations.map((migration, index) =>
      index === 3 ? { ...migration, checksum: 'x' } : migration,
    );
    await expect(into(edited)).rejects.toMatchObject({ code: 'E_BACKUP_OTHER_SCHEMA' });
    await requireUntouched(directory);
  });

  test('when a step of it fails or it is interrupted: rows are rolled back and files deleted', async () => {
    const directory = await newDirectory('data');
    const storage = await openStorage({ kind: 'local', directory: path.join(directory, 'files') });
    let puts = 0;
    const full: Storage = {
      ...storage,
      async put(...given) {
        puts += 1;
        if (puts > 4) throw new Error('No space left on device.');
        return storage.put(...given);
      },
    };
    const options = {
      sql: target.sql,
      migrations: await readMigrations(),
      beforeCommit: async () => undefined,
    };
    await expect(restoreBackup({ ...options, storage: full }, file)).rejects.toThrow('No space left');
    await requireUntouched(directory);
    const stop = new AbortController();
    const onProgress = ({ doing }: { doing: string }) =>
      doing === 'loading' && stop.abort(new Error('stopped'));
    await expect(
      restoreBackup({ ...options, storage }, file, { signal: stop.signal, onProgress }),
    ).rejects.toThrow();
    await requireUntouched(directory);
  });
});

test('an older backup migrates, and its events stay in the feed of a new server', async () => {
  const migrations = await readMigrations();
  const old = targets.old.sql;
  await migrate(old, migrations.slice(0, 18));
  await old`
    insert into outbox_event (
      id, transaction_id, event_type, schema_version, aggregate_type, aggregate_id, payload, idempotency_key
    )
    values (gen_random_uuid(), '999999999999', 'library.created', 1, 'library', 'x', '{}', 'x')`;
  const directory = await newDirectory('data');
  const file = path.join(backups, 'old.tar');
  expect(await runCommand(['backup', file], environment(targets.old, directory))).toMatchObject({ code: 0 });
  const restored = await runCommand(
    ['restore', file],
    environment(targets.upgraded, await newDirectory('data')),
  );
  expect(restored.stdout).toContain(
    `Applied ${migrations.length - 18} migrations that are newer than the backup`,
  );
  expect(restored.code).toBe(0);
  expect(await dumpSchema(targets.upgraded.sql)).toBe(await dumpSchema(sql));
  const [event] = await targets.upgraded.sql`
    select transaction_id < pg_snapshot_xmin(pg_current_snapshot()) as is_shown
    from outbox_event
    where event_type = 'library.created'`;
  expect(event).toEqual({ is_shown: true });
});

describe('a migration that rewrites a table', () => {
  const target = targets.migrated;
  const from = async () => ({
    sql: target.sql,
    storage: await openStorage({ kind: 'local', directory: await newDirectory('files') }),
    selectPaths: selectStoredPaths,
  });
  const rewriting = async (column: string) => {
    const migrations = await readMigrations();
    const version = migrations.length + 1;
    const statements = `alter table workers add column ${column} uuid default gen_random_uuid()`;
    return [...migrations, { version, name: column, checksum: column, statements }];
  };
  const dropColumn = async (column: string) => {
    await target.sql`alter table workers drop column ${identifier(column)}`;
    await target.sql`delete from schema_migrations where name = ${column}`;
  };
  beforeAll(async () => {
    await migrate(target.sql, await readMigrations());
    await target.sql`
      insert into workers (id, name, queues, concurrency, lease_expires_at)
      select gen_random_uuid(), 'w' || n, '{x}', 1, now() from generate_series(1, 5) as n`;
  });

  test('waits until a backup has read the tables', async () => {
    const { destination, stalled, release } = stalling(path.join(backups, 'before.tar'), 0);
    const making = makeBackup(await from(), destination);
    await stalled;
    let isMigrated = false;
    const migrating = migrate(target.sql, await rewriting('added_during')).then(() => {
      isMigrated = true;
    });
    await vi.waitUntil(async () => {
      const waiting = await target.sql`
        select from pg_locks join pg_database on pg_database.oid = database and datname = current_database()
        where locktype = 'advisory' and objid = 7305120 and not granted`;
      return waiting.length > 0 || isMigrated;
    }, 20_000);
    expect(isMigrated).toBe(false);
    release();
    const { manifest } = await making;
    await migrating;
    expect(manifest.tables.workers?.rows).toBe(5);
    await dropColumn('added_during');
  });

  test('is waited for by a backup, which can be stopped meanwhile', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    releases.push(finish);
    const migrating = transaction(target.sql, async (tx) => {
      await lockSchema(tx);
      await applyPending(tx, await rewriting('added_before'));
      begin();
      await finished;
    });
    await begun;
    const stop = new AbortController();
    const reasons = expect(
      makeBackup(await from(), fileDestination(path.join(backups, 'impatient.tar')), { signal: stop.signal }),
    ).rejects.toThrow();
    stop.abort(new Error('stopped'));
    await reasons;

    const { destination, opened } = noticing(path.join(backups, 'after.tar'));
    const making = makeBackup(await from(), destination);
    await opened;
    finish();
    await migrating;
    const { header, manifest } = await making;
    expect(header.migrations.at(-1)?.name).toBe('added_before');
    expect(manifest.tables.workers?.rows).toBe(5);
    await dropColumn('added_before');
  });
});

test('an interrupted backup leaves neither a file nor a lock', async () => {
  const file = path.join(backups, 'stopped.tar');
  const stop = new AbortController();
  const { destination, stalled, release } = stalling(file, 20_000);
  const making = makeBackup(source(), destination, { signal: stop.signal });
  await stalled;
  stop.abort(new Error('stopped'));
  release();
  await expect(making).rejects.toThrow();
  expect((await readdir(backups)).filter((name) => name.startsWith('stopped'))).toEqual([]);
  await makeBackup(source(), fileDestination(file));
  expect((await stat(file)).size).toBeGreaterThan(0);
});

test('a backup that loses its connections fails, and leaves no file', async () => {
  const file = path.join(backups, 'lost.tar');
  const { destination, stalled, release } = stalling(file, 1_000_000);
  const making = makeBackup(source(), destination);
  await stalled;
  const failed = expect(making).rejects.toMatchObject({ code: 'E_BACKUP_INTERRUPTED' });
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid in (select pid from pg_locks where locktype = 'advisory' and objid = 7305121)`;
  release();
  await failed;
  expect((await readdir(backups)).filter((name) => name.startsWith('lost'))).toEqual([]);
});
