import { type HeldLock, holdLock } from '../database/bulk.ts';
import type { Database, Queryable } from '../database/database.ts';
import type { Storage } from '../storage/storage.ts';
import { backupError } from './errors.ts';

/** A fixed number that no other advisory lock in this database uses. */
const BACKUP_LOCK = 7_305_121;
/** A process that looks whether a backup runs holds the lock for the time of one statement. */
const WAIT_SECONDS = 5;

/** Marks a backup as running, until the lock is released or its process dies. There is one at a time. */
export async function holdBackupLock(pool: Database): Promise<HeldLock> {
  const lock = await holdLock(pool, BACKUP_LOCK, WAIT_SECONDS);
  if (lock) return lock;
  throw backupError('E_BACKUP_RUNNING', 'Another backup of this database is running. Wait until it is done.');
}

export async function isBackupRunning(sql: Queryable): Promise<boolean> {
  const [row] = await sql<[{ is_free: boolean }]>`
    select pg_try_advisory_xact_lock_shared(${BACKUP_LOCK}) as is_free`;
  return !row.is_free;
}

/**
 * Returns the storage with a `delete` that does nothing while a backup runs; the sweep of orphaned files deletes the file
 * later.
 *
 * A backup takes the lock before its snapshot, and files are deleted only after the commit that deletes their rows. So if
 * the snapshot has a row, that commit came after the lock was taken, and the look at the lock, which comes later still,
 * finds it taken.
 */
export function keepDuringBackups<S extends Storage>(storage: S, sql: Database): S {
  return {
    ...storage,
    async delete(path: string) {
      if (!(await isBackupRunning(sql))) await storage.delete(path);
    },
  };
}
