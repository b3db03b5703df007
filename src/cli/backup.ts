import type { Command } from 'commander';
import { parseConfig, readEnvironment } from '../app/config.ts';
import { openConfiguredDatabase } from '../app/database.ts';
import { abortOnSignals } from '../app/shutdown.ts';
import { recordBackup, summaryOf } from '../features/backup/backup-log.ts';
import { selectStoredPaths } from '../features/media/files/stored-paths.ts';
import { fileDestination, stdoutDestination } from '../platform/backup/destination.ts';
import { type BackupSummary, makeBackup } from '../platform/backup/make-backup.ts';
import { verifyBackup } from '../platform/backup/verify.ts';
import { pendingMigrations } from '../platform/database/migrator.ts';
import { openStorage } from '../platform/storage/open-storage.ts';
import { createLogger } from '../platform/telemetry/logger.ts';
import { createProgressLine, size } from './progress.ts';
import { CLI_ACTOR } from './session.ts';

/** The exit code of a backup that was written, and lacks files that are not in the storage. */
const WRITTEN_WITHOUT_FILES = 3;

export function define(command: Command): void {
  command
    .argument('<file>', 'the backup; - writes it to standard output')
    .option('--verify', 'check the file instead of writing it; needs no database')
    .action(async (file: string, { verify }: { verify?: true }) => {
      const line = createProgressLine();
      const options = { onProgress: line.show };
      try {
        if (verify) {
          const backup = await abortOnSignals((signal) => verifyBackup(file, { ...options, signal }));
          line.clear();
          say(file, `${file} is complete and unaltered: ${figures(backup)}`);
          say(file, origin(backup));
        } else {
          const backup = await abortOnSignals((signal) => write(file, { ...options, signal }));
          line.clear();
          say(file, `Wrote ${file === '-' ? 'the backup' : file}: ${figures(backup)}`);
          warnOfMissing(backup);
        }
      } catch (error) {
        line.clear();
        throw error;
      }
    });
}

async function write(file: string, options: Parameters<typeof makeBackup>[2]): Promise<BackupSummary> {
  const config = parseConfig(readEnvironment());
  const log = createLogger({ level: 'warn', format: 'pretty' });
  // Not migrated: a backup from before an upgrade is made with the new release, too.
  const database = await openConfiguredDatabase(config, { log, purpose: 'backup', whenOwned: 'share' });
  try {
    const pending = await pendingMigrations(database.sql, database.migrations);
    if (pending.length === database.migrations.length)
      throw new Error(`There is nothing to back up yet: ${database.place} is empty.`);
    const storage = await openStorage(config.storage);
    try {
      const source = { sql: database.sql, storage, selectPaths: selectStoredPaths };
      const destination = file === '-' ? stdoutDestination : fileDestination(file);
      const backup = await makeBackup(source, destination, options);
      if (pending.length === 0) await recordBackup(database.sql, backup, CLI_ACTOR);
      return backup;
    } finally {
      storage.close();
    }
  } finally {
    await database.close();
  }
}

/** Standard output carries the backup itself when it is written there. */
function say(file: string, text: string): void {
  (file === '-' ? process.stderr : process.stdout).write(`${text}\n`);
}

function warnOfMissing({ manifest: { missing_files } }: BackupSummary): void {
  if (missing_files.count === 0) return;
  process.exitCode = WRITTEN_WITHOUT_FILES;
  process.stderr.write(
    `${missing_files.count} files that rows refer to are not in the storage, such as ${missing_files.paths[0]}. ` +
      'They are not in the backup either. Is the storage mounted? The integrity audit lists them.\n',
  );
}

export function figures(backup: Pick<BackupSummary, 'manifest' | 'bytes'>): string {
  const { tables, rows, files, file_bytes, bytes } = summaryOf(backup);
  const number = (value: number) => value.toLocaleString('en');
  return `${number(rows)} rows in ${tables} tables, ${number(files)} files (${size(file_bytes)}), ${size(bytes)} in all.`;
}

export function origin({ header }: Pick<BackupSummary, 'header'>): string {
  const { created_at, nexus_version, postgresql_version, migrations } = header;
  return `It is of ${created_at}, from Nexus ${nexus_version} with schema version ${migrations.length} on PostgreSQL ${postgresql_version}.`;
}
