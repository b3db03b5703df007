import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type BulkTransaction, bulkTransaction, openBulkPool } from '../database/bulk.ts';
import type { Database, Queryable } from '../database/database.ts';
import { tryKeepSchema } from '../database/migrator.ts';
import type { Storage } from '../storage/storage.ts';
import { NEXUS_VERSION } from '../version.ts';
import { checksumsName, countLines } from './archive-reader.ts';
import { type ArchiveWriter, createArchiveWriter } from './archive-writer.ts';
import { holdBackupLock } from './backup-lock.ts';
import type { Destination } from './destination.ts';
import { backupError } from './errors.ts';
import {
  CHECKSUMMED_FILES,
  FORMAT_VERSION,
  HEADER_NAME,
  type Header,
  MANIFEST_NAME,
  type Manifest,
  NAMED_MISSING,
  ROWS_BYTES,
  type TableSummary,
} from './format.ts';
import { openInOrder } from './open-in-order.ts';
import { openSpool, type Spool } from './spool.ts';
import { copyStatement, listSequences, listTables, type Table } from './tables.ts';

interface BackupSource {
  sql: Database;
  storage: Pick<Storage, 'get'>;
  /** Returns a statement that selects the paths of all files that rows refer to, whatever the version of the schema. */
  selectPaths(sql: Queryable): Promise<string>;
}

export interface Progress {
  doing: 'tables' | 'files' | 'verifying' | 'loading';
  /** The table, while tables are read. */
  table?: string;
  rows: number;
  files: number;
  files_total?: number;
  bytes: number;
}

export interface BackupOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface BackupSummary {
  header: Header;
  manifest: Manifest;
  /** The size of the backup. */
  bytes: number;
}

const compress = promisify(gzip);
/** Twice as fast as the default level, and 10 % larger. */
const LEVEL = 3;
const MIGRATION_POLL_MS = 200;

/**
 * Writes a backup of the database and of the files that it refers to, as of one moment, while Nexus runs. The rows are
 * read in one snapshot, which ends before the files are read. No file is deleted meanwhile.
 */
export async function makeBackup(
  { sql, storage, selectPaths }: BackupSource,
  destination: Destination,
  { signal, onProgress = () => undefined }: BackupOptions = {},
): Promise<BackupSummary> {
  const progress: Progress = { doing: 'tables', rows: 0, files: 0, bytes: 0 };
  const report = (change: Partial<Progress>) => onProgress(Object.assign(progress, change));
  // One connection holds the lock of backups, one keeps the schema, and one reads.
  const pool = openBulkPool(sql, 3);
  const spool = await openSpool();
  try {
    const lock = await holdBackupLock(pool);
    try {
      return await intoDestination(destination, signal, async (archive) => {
        const rows = await withoutMigrations(pool, signal, () =>
          bulkTransaction(pool, 'snapshot', async (tx) => {
            const written = await writeTables(tx, archive, { signal, report });
            await pipeline(tx.copyTo(`copy (${await selectPaths(tx)}) to stdout`), spool.writer());
            return written;
          }),
        );
        report({ doing: 'files', files_total: await spool.count() });
        const files = await writeFiles(storage, spool, archive, { signal, report });
        if (!(await lock.isHeld())) {
          throw backupError(
            'E_BACKUP_INTERRUPTED',
            'The connection to the database was lost, so files may have been deleted during the backup. Start it again.',
          );
        }
        const { header, ...database } = rows;
        const manifest = { ...database, ...files };
        await archive.add(MANIFEST_NAME, asJson(manifest));
        return { header, manifest };
      });
    } finally {
      await lock.release();
    }
  } finally {
    await spool.close();
    await pool.end();
  }
}

/**
 * Waits for a running migration, and keeps the next one from starting while `work` runs. A table that a migration rewrites
 * is empty for every snapshot from before it.
 *
 * The lock has a transaction of its own, because it must be taken before the snapshot, and a statement that waits for a
 * lock has its snapshot already. If the connection is lost, the commit fails, and so does the backup.
 */
function withoutMigrations<T>(
  pool: Database,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  return bulkTransaction(pool, 'write', async (tx) => {
    while (!(await tryKeepSchema(tx))) await pause(MIGRATION_POLL_MS, undefined, { signal });
    return work();
  });
}

async function intoDestination<T>(
  destination: Destination,
  signal: AbortSignal | undefined,
  write: (archive: ArchiveWriter) => Promise<T>,
): Promise<T & { bytes: number }> {
  const sink = await destination.open();
  const archive = createArchiveWriter(sink, new Date(), signal);
  try {
    const result = await write(archive);
    await archive.finish();
    signal?.throwIfAborted();
    await destination.commit();
    return { ...result, bytes: archive.counted.bytes };
  } catch (error) {
    await archive.abort(error as Error);
    await destination.discard();
    throw signal?.aborted ? signal.reason : error;
  }
}

interface Writing {
  signal: AbortSignal | undefined;
  report(change: Partial<Progress>): void;
}

async function writeTables(tx: BulkTransaction, archive: ArchiveWriter, { signal, report }: Writing) {
  const tables = await listTables(tx);
  const header: Header = {
    format: FORMAT_VERSION,
    nexus_version: NEXUS_VERSION,
    ...(await describeServer(tx)),
    tables,
  };
  await archive.add(HEADER_NAME, asJson(header));
  const summaries: Manifest['tables'] = {};
  let rows = 0;
  for (const table of tables) {
    signal?.throwIfAborted();
    report({ table: table.name });
    const summary = await writeTable(tx, table, archive, () => {
      signal?.throwIfAborted();
      report({ bytes: archive.counted.bytes });
    });
    summaries[table.name] = summary;
    rows += summary.rows;
    report({ rows, bytes: archive.counted.bytes });
  }
  return { header, tables: summaries, sequences: await listSequences(tx) };
}

async function describeServer(tx: BulkTransaction) {
  const migrations = await tx<Header['migrations']>`
    select version, name, checksum from schema_migrations order by version`;
  const [server] = await tx<[{ version: string; now: Date }]>`
    select current_setting('server_version') as version, now() as now`;
  return {
    postgresql_version: server.version,
    created_at: server.now.toISOString(),
    migrations: [...migrations],
  };
}

async function writeTable(
  tx: BulkTransaction,
  table: Table,
  archive: ArchiveWriter,
  onPart: () => void,
): Promise<TableSummary> {
  const hash = createHash('sha256');
  const source = tx.copyTo(await copyStatement(tx, table));
  let bytes = 0;
  let rows = 0;
  let parts = 0;
  let gathered: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    if (size === 0) return;
    const data = Buffer.concat(gathered);
    [gathered, size] = [[], 0];
    hash.update(data);
    bytes += data.length;
    rows += countLines(data);
    parts += 1;
    const name = `tables/${table.name}/${String(parts).padStart(6, '0')}.copy.gz`;
    await archive.add(name, await compress(data, { level: LEVEL }));
    onPart();
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    gathered.push(chunk);
    size += chunk.length;
    if (size >= ROWS_BYTES) await flush();
  }
  await flush();
  if (!source.closed) await once(source, 'close');
  return { rows, bytes, sha256: hash.digest('hex') };
}

async function writeFiles(
  storage: Pick<Storage, 'get'>,
  spool: Spool,
  archive: ArchiveWriter,
  { signal, report }: Writing,
) {
  const written = { count: 0, bytes: 0 };
  const missing: Manifest['missing_files'] = { count: 0, paths: [] };
  let listed: string[] = [];
  let lists = 0;
  const writeChecksums = async () => {
    if (listed.length === 0) return;
    lists += 1;
    await archive.add(checksumsName(lists), Buffer.from(listed.map((line) => `${line}\n`).join('')));
    listed = [];
  };
  for await (const { path, stored } of openInOrder(storage, spool.lines(), signal)) {
    signal?.throwIfAborted();
    if (!stored) {
      missing.count += 1;
      if (missing.paths.length < NAMED_MISSING) missing.paths.push(path);
      continue;
    }
    const { size } = stored.file;
    const hash = createHash('sha256');
    const hashed = async function* () {
      for await (const chunk of stored.content as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        hash.update(chunk);
        yield chunk;
      }
    };
    await archive.addStream(`files/${path}`, size, hashed()).finally(() => stored.content.destroy());
    listed.push(`${hash.digest('hex')}  files/${path}`);
    written.count += 1;
    written.bytes += size;
    report({ files: written.count, bytes: archive.counted.bytes });
    if (listed.length === CHECKSUMMED_FILES) await writeChecksums();
  }
  await writeChecksums();
  return { files: written, missing_files: missing };
}

function asJson(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
