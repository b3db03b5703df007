import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { BackupSummary } from '../../platform/backup/make-backup.ts';
import type { Queryable } from '../../platform/database/database.ts';

export const BACKUP_JOB = 'backup';
const MADE = 'backup.made';
const RESTORED = 'backup.restored';

/** Notes in the audit log that somebody has a copy of everything. */
export async function recordBackup(sql: Queryable, backup: BackupSummary, actor: Actor): Promise<void> {
  await recordAudit(sql, { action: MADE, actor, details: summaryOf(backup) });
}

export async function recordRestore(sql: Queryable, createdAt: string, actor: Actor): Promise<void> {
  await recordAudit(sql, { action: RESTORED, actor, details: { backup_created_at: createdAt } });
}

/** Returns the age of the last backup in seconds, as far back as the audit log goes, and how many files it lacks. */
export async function lastBackup(
  sql: Queryable,
): Promise<{ age: number; missing_files: number } | undefined> {
  const [last] = await sql<{ age: number; missing_files: number }[]>`
    select
      extract(epoch from now() - created_at)::float8 as age,
      coalesce((details ->> 'missing_files')::float8, 0) as missing_files
    from audit_logs
    where action = ${MADE}
    order by created_at desc
    limit 1`;
  return last;
}

/** Returns for how many seconds backups have been scheduled; null when they never were. */
export async function scheduleAge(sql: Queryable): Promise<number | null> {
  const [schedule] = await sql<{ age: number }[]>`
    select extract(epoch from now() - created_at)::float8 as age from job_schedules where name = ${BACKUP_JOB}`;
  return schedule?.age ?? null;
}

/** The figures of a backup, for people. */
export function summaryOf({ manifest, bytes }: Pick<BackupSummary, 'manifest' | 'bytes'>) {
  const tables = Object.values(manifest.tables);
  return {
    bytes,
    tables: tables.length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    files: manifest.files.count,
    file_bytes: manifest.files.bytes,
    missing_files: manifest.missing_files.count,
  };
}
