import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { fileDestination, partialOf } from '../../platform/backup/destination.ts';
import { makeBackup, type Progress } from '../../platform/backup/make-backup.ts';
import { verifyBackup } from '../../platform/backup/verify.ts';
import { defineJobType } from '../../platform/jobs/job-type.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import type { Platform } from '../feature.ts';
import { selectStoredPaths } from '../media/files/stored-paths.ts';
import { BACKUP_JOB, recordBackup, summaryOf } from './backup-log.ts';

export interface ScheduledBackups {
  directory: string;
  everyHours: number;
  /** How many backups are kept. */
  keep: number;
}

/** A queue of its own: only processes that know the directory serve it. */
const QUEUE = 'backup';
const PROGRESS_MS = 2000;
const NAME = /^nexus-\d{8}T\d{6}Z\.tar$/;

/** Makes backups into a directory, and deletes old ones once the new one is verified. */
export function periodicBackup(
  { sql, storage, log }: Pick<Platform, 'sql' | 'storage' | 'log'>,
  { directory, everyHours, keep }: ScheduledBackups,
): Periodic {
  const type = defineJobType(BACKUP_JOB, {
    queue: QUEUE,
    payload: z.strictObject({}),
    // The cause of a failure, such as a full disk, may last.
    retry: { delays: [60, 600, 3600] },
    async handler(_payload, { signal, progress }) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const [clock] = await sql<[{ now: Date }]>`select now() as now`;
      const name = nameAt(clock.now);
      const file = path.join(directory, name);
      const onProgress = everySoOften(PROGRESS_MS, (now) => {
        // Progress is only for show.
        progress({ ...now }).catch(() => undefined);
      });
      const source = { sql, storage, selectPaths: selectStoredPaths };
      await makeBackup(source, fileDestination(file), { signal, onProgress });
      const backup = await verifyBackup(file, { signal, onProgress }).catch(async (error) => {
        await rm(file, { force: true });
        throw error;
      });
      const summary = summaryOf(backup);
      // The storage may only be unmounted, and the older backups the only ones with its files.
      const deleted = summary.missing_files > 0 ? [] : await deleteOldBackups(directory, keep, name);
      await recordBackup(sql, backup, { name: 'system' });
      if (summary.missing_files > 0) {
        const { missing_files } = backup.manifest;
        log.warn({ missing_files }, 'files were missing in the storage, so no old backup was deleted');
      }
      return { result: { file: name, ...summary, deleted } };
    },
  });
  return { type, everySeconds: everyHours * 3600 };
}

function nameAt(time: Date): string {
  return `nexus-${time.toISOString().replace(/[-:]|\.\d+/g, '')}.tar`;
}

/**
 * Deletes all but the newest backups, and what killed ones left behind. Other files stay. Returns the deleted names.
 * Names later than that of the backup just made come from a clock that was ahead, so they count as older than it.
 */
export async function deleteOldBackups(directory: string, keep: number, made: string): Promise<string[]> {
  const names = await readdir(directory);
  const sorted = names.filter((name) => NAME.test(name)).toSorted();
  const backups = [...sorted.filter((name) => name > made), ...sorted.filter((name) => name <= made)];
  const deleted = [...backups.slice(0, Math.max(0, backups.length - keep)), ...names.filter(isPartial)];
  for (const name of deleted) await rm(path.join(directory, name), { force: true });
  return deleted;
}

function isPartial(name: string): boolean {
  const complete = name.slice(0, -partialOf('').length);
  return partialOf(complete) === name && NAME.test(complete);
}

/** Passes progress on, at most once in this time. */
export function everySoOften(ms: number, pass: (progress: Progress) => void): (progress: Progress) => void {
  let last = performance.now();
  return (progress) => {
    const now = performance.now();
    if (now - last < ms) return;
    last = now;
    pass(progress);
  };
}
