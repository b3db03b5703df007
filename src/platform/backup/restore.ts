import { buffer } from 'node:stream/consumers';
import { type BulkTransaction, bulkTransaction, openBulkPool } from '../database/bulk.ts';
import type { Database, Transaction } from '../database/database.ts';
import { applyPending, lockSchema, type Migration } from '../database/migrator.ts';
import type { Storage } from '../storage/storage.ts';
import { type Part, readArchive } from './archive-reader.ts';
import { digestTable } from './digest-table.ts';
import * as place from './empty-place.ts';
import { backupError, damaged } from './errors.ts';
import type { Header, Manifest } from './format.ts';
import { prepareForLoading } from './load-schema.ts';
import type { BackupOptions, Progress } from './make-backup.ts';
import { listTables, quoted, setSequences, type Table } from './tables.ts';
import { type VerifiedBackup, verifyBackup } from './verify.ts';

export interface RestoreTarget {
  sql: Database;
  storage: Storage;
  /** The migrations of this release. */
  migrations: Migration[];
  /** Called in the transaction of the restore, when the schema is that of this release. */
  beforeCommit(tx: Transaction, header: Header): Promise<void>;
}

interface Loaded {
  /** The migrations that the backup's schema lacked. */
  migrated: Migration[];
  /** Tables of the backup that are not of Nexus. They were not restored. */
  ignoredTables: string[];
}

export interface RestoreSummary extends VerifiedBackup, Loaded {
  /** The reason why the marker is still in the storage. Everything was restored nevertheless. */
  markerError?: Error;
}

/** Files up to this size are written in parallel: an object store takes tens of milliseconds for each. */
const SMALL_BYTES = 1024 * 1024;
const PARALLEL = 8;

/**
 * Restores a backup into an empty database and an empty storage. The backup is read twice: it is verified before anything
 * is written. All rows are committed at the end, in one transaction; until then the database is empty for everybody else,
 * and a process that is killed leaves only files, which the next restore replaces.
 */
export async function restoreBackup(
  target: RestoreTarget,
  file: string,
  { signal, onProgress = () => undefined }: BackupOptions = {},
): Promise<RestoreSummary> {
  const { sql, storage, migrations } = target;
  await place.requireEmptyDatabase(sql);
  await place.requireEmptyStorage(storage, sql);
  const backup = await verifyBackup(file, { onProgress, ...(signal && { signal }) });
  requireKnownSchema(backup.header, migrations);
  const pool = openBulkPool(sql, 1);
  try {
    const restoring: { hasBegun: boolean; loaded?: Loaded } = { hasBegun: false };
    await bulkTransaction(pool, 'write', async (tx) => {
      await lockSchema(tx);
      await place.requireEmptyDatabase(tx);
      await place.requireEmptyStorage(storage, tx);
      restoring.hasBegun = true;
      await place.writeMarker(storage, tx);
      restoring.loaded = await load(tx, target, { file, backup, signal, onProgress });
    }).catch(async (error) => {
      if (restoring.loaded && (await isCommitted(pool, error))) return;
      if (restoring.hasBegun) await place.clearStorage(storage);
      throw error;
    });
    const markerError = await storage.delete(place.RESTORE_MARKER).then(
      () => undefined,
      (error: Error) => error,
    );
    return { ...backup, ...(restoring.loaded as Loaded), ...(markerError && { markerError }) };
  } finally {
    await pool.end();
  }
}

/**
 * Looks whether the rows are there after an error of the commit itself, whose answer may only have been lost. The lock
 * waits for the end of a commit that still runs. Throws when the database cannot be asked: then the files stay.
 */
async function isCommitted(pool: Database, lost: Error): Promise<boolean> {
  try {
    return await bulkTransaction(pool, 'write', async (tx) => {
      await lockSchema(tx);
      return place.hasRows(tx);
    });
  } catch {
    throw new Error(
      `The database did not confirm the commit (${lost.message}), so it is not known whether the backup was restored. ` +
        'When it answers again, restore once more: that is refused if the database has the data.',
      { cause: lost },
    );
  }
}

function requireKnownSchema({ migrations: applied, nexus_version }: Header, known: Migration[]): void {
  if (applied.length > known.length) {
    throw backupError(
      'E_BACKUP_NEWER',
      `The backup has schema version ${applied.length}, and this release knows only versions up to ${known.length}. ` +
        `Nexus ${nexus_version} made it: restore it with that release or a later one.`,
    );
  }
  const other = applied.find(({ checksum }, index) => checksum !== known[index]?.checksum);
  if (!other) return;
  throw backupError(
    'E_BACKUP_OTHER_SCHEMA',
    `The migration ${other.name} of the backup is not the one of this release. Restore it with the release that made it (Nexus ${nexus_version}).`,
  );
}

interface Loading {
  file: string;
  backup: VerifiedBackup;
  signal: AbortSignal | undefined;
  onProgress: NonNullable<BackupOptions['onProgress']>;
}

async function load(
  tx: BulkTransaction,
  { storage, migrations, beforeCommit }: RestoreTarget,
  { file, backup, signal, onProgress }: Loading,
): Promise<Loaded> {
  const { header, manifest, digest } = backup;
  await removeLeftFiles(storage);
  await place.dropSchema(tx);
  await applyPending(tx, migrations.slice(0, header.migrations.length));
  const tables = await tablesToLoad(tx, header);
  const finishLoading = await prepareForLoading(tx);
  const rows = createRowLoader(tx, tables, manifest);
  const files = createFileLoader(storage);
  const progress: Progress = { doing: 'loading', rows: 0, files: 0, bytes: 0 };
  try {
    for await (const part of readArchive(file, signal)) {
      if (part.kind === 'rows') await rows.write(part.table, part.data);
      if (part.kind === 'file') await files.write(part);
      if (part.kind === 'end' && part.digest !== digest) throw damaged('it was replaced during the restore');
      progress.files = files.count();
      progress.bytes += part.kind === 'rows' ? part.data.length : part.kind === 'file' ? part.size : 0;
      progress.rows = rows.count();
      onProgress(progress);
    }
    await rows.end();
  } finally {
    await files.settle();
  }
  files.throwFailure();
  await finishLoading();
  await setSequences(tx, manifest.sequences);
  for (const table of tables) await requireEqual(tx, table, manifest);
  const migrated = await applyPending(tx, migrations);
  await beforeCommit(tx, header);
  signal?.throwIfAborted();
  const loaded = new Set(tables.map(({ name }) => name));
  const ignoredTables = header.tables.map(({ name }) => name).filter((name) => !loaded.has(name));
  return { migrated, ignoredTables };
}

async function removeLeftFiles(storage: Storage): Promise<void> {
  for await (const { path } of storage.list()) if (path !== place.RESTORE_MARKER) await storage.delete(path);
}

/** The tables of the schema, with their columns in the order of the backup. */
async function tablesToLoad(tx: Transaction, header: Header): Promise<Table[]> {
  return (await listTables(tx)).map(({ name, columns }) => {
    const stored = header.tables.find((table) => table.name === name);
    if (stored && String(stored.columns.toSorted()) === String(columns.toSorted())) return stored;
    throw backupError(
      'E_BACKUP_OTHER_SCHEMA',
      `The table ${name} of the backup does not have the columns that its schema version has. Its database was changed by hand.`,
    );
  });
}

/** Loads rows, with one COPY per table. */
function createRowLoader(tx: BulkTransaction, tables: Table[], manifest: Manifest) {
  let current: { name: string; copy: ReturnType<BulkTransaction['copyFrom']> } | undefined;
  let loaded = 0;

  async function end(): Promise<void> {
    if (!current) return;
    const count = await current.copy.finish();
    if (count !== manifest.tables[current.name]?.rows)
      throw damaged(`the table ${current.name} has other rows`);
    loaded += count;
    current = undefined;
  }

  return {
    count: () => loaded,
    end,
    async write(name: string, data: Buffer): Promise<void> {
      const table = tables.find((known) => known.name === name);
      if (!table) return;
      if (current?.name !== name) {
        await end();
        const columns = table.columns.map(quoted).join(', ');
        current = { name, copy: tx.copyFrom(`copy ${quoted(name)} (${columns}) from stdin`) };
      }
      await current.copy.write(data);
    },
  };
}

function createFileLoader(storage: Pick<Storage, 'put'>) {
  const running = new Set<Promise<void>>();
  let written = 0;
  let failure: { error: unknown } | undefined;
  const throwFailure = () => {
    if (failure) throw failure.error;
  };

  return {
    count: () => written,
    throwFailure,
    async write({ path, size, content }: Extract<Part, { kind: 'file' }>): Promise<void> {
      throwFailure();
      const put = async (bytes: Parameters<Storage['put']>[1]) => {
        await storage.put(path, bytes, { size });
        written += 1;
      };
      if (size > SMALL_BYTES) return put(content);
      const bytes = await buffer(content);
      const putting = put(bytes)
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => running.delete(putting));
      running.add(putting);
      if (running.size >= PARALLEL) await Promise.race(running);
    },
    /** Waits for everything that was begun. */
    async settle(): Promise<void> {
      await Promise.all(running);
    },
  };
}

/** Reads a table back and compares it with the backup. */
async function requireEqual(tx: BulkTransaction, table: Table, manifest: Manifest): Promise<void> {
  if ((await digestTable(tx, table)) === manifest.tables[table.name]?.sha256) return;
  throw damaged(`the table ${table.name} is not the same after loading it`);
}
