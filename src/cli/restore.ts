import type { Command } from 'commander';
import { type Config, parseConfig, readEnvironment } from '../app/config.ts';
import { type OpenDatabase, openConfiguredDatabase } from '../app/database.ts';
import { abortOnSignals } from '../app/shutdown.ts';
import { restoreNexus } from '../features/backup/restore-nexus.ts';
import { RESTORE_MARKER } from '../platform/backup/empty-place.ts';
import type { RestoreSummary } from '../platform/backup/restore.ts';
import { findJob } from '../platform/jobs/read/store.ts';
import { createLogger, type Logger } from '../platform/telemetry/logger.ts';
import { createMetrics } from '../platform/telemetry/metrics.ts';
import { figures, origin } from './backup.ts';
import { print, printTable } from './output.ts';
import { createProgressLine } from './progress.ts';
import { CLI_ACTOR } from './session.ts';

/** The exit code for data that were restored as they are in the backup, and in which the audit found something. */
const RESTORED_WITH_FINDINGS = 3;

interface RestoreFlags {
  webhooks: boolean;
}

export function define(command: Command): void {
  command
    .argument('<file>', 'the backup')
    .option('--no-webhooks', 'disable all webhooks, for a copy that must not send the events of the original')
    .action(async (file: string, { webhooks }: RestoreFlags) => {
      const config = parseConfig(readEnvironment());
      const log = createLogger({ level: 'warn', format: 'pretty' });
      const database = await openConfiguredDatabase(config, { log, purpose: 'restore', whenOwned: 'refuse' });
      try {
        await restore(file, { config, log, database, withoutWebhooks: !webhooks });
      } finally {
        await database.close();
      }
    });
}

interface Restoring {
  config: Config;
  log: Logger;
  database: OpenDatabase;
  withoutWebhooks: boolean;
}

async function restore(file: string, { config, log, database, withoutWebhooks }: Restoring): Promise<void> {
  const { createNexus } = await import('../app/nexus.ts');
  const { createResources } = await import('../app/resources.ts');
  const metrics = createMetrics();
  const resources = createResources({ config, log, metrics });
  const nexus = createNexus({ ...database, listenAt: undefined, log, config, metrics, resources });
  const line = createProgressLine();
  try {
    const target = { ...database, storage: resources.storage };
    const restored = await abortOnSignals((signal) =>
      restoreNexus(target, file, { actor: CLI_ACTOR, withoutWebhooks, onProgress: line.show, signal }),
    );
    line.clear();
    printRestored(file, restored);
    process.stderr.write('Checking the restored data …\n');
    const type = nexus.queue.types.get('integrity_audit');
    if (!type) throw new Error('There is no integrity audit.');
    await nexus.queue
      .runInline({ type, payload: { repair: false }, createdBy: CLI_ACTOR })
      .then(async ({ id }) => printAudit(await findJob(database.sql, id)))
      .catch(printFailedAudit);
  } finally {
    line.clear();
    await nexus.close();
    await resources.close();
  }
}

function printRestored(file: string, restored: RestoreSummary): void {
  const { manifest, migrated, ignoredTables, markerError } = restored;
  const tables = Object.entries(manifest.tables).filter(([name]) => !ignoredTables.includes(name));
  const filled = tables.filter(([, { rows }]) => rows > 0);
  printTable(
    ['TABLE', 'ROWS', ''],
    filled.map(([name, { rows }]) => [name, rows.toLocaleString('en'), 'equal']),
  );
  print(`The other ${tables.length - filled.length} tables are empty.`);
  print(`\nRestored ${file}: ${figures(restored)}`);
  print(origin(restored));
  print('Every table was read back and equals the backup; every file has its checksum.');
  if (migrated.length > 0)
    print(`Applied ${migrated.length} migrations that are newer than the backup: ${names(migrated)}.`);
  for (const name of ignoredTables) print(`The table ${name} is not of Nexus, and was not restored.`);
  if (manifest.missing_files.count > 0)
    print(`${manifest.missing_files.count} files were missing already when the backup was made.`);
  print('All sessions and sign-in links have ended; people sign in again.');
  if (markerError) {
    process.stderr.write(
      `Everything was restored, but the file ${RESTORE_MARKER} could not be deleted from the storage: ${markerError.message} Delete it.\n`,
    );
  }
}

const names = (migrations: { name: string }[]) => migrations.map(({ name }) => name).join(', ');

function printFailedAudit({ message }: { message: string }): void {
  print(`The data are restored, but the integrity audit failed: ${message}`);
  process.exitCode = RESTORED_WITH_FINDINGS;
}

function printAudit(job: Awaited<ReturnType<typeof findJob>>): void {
  const result = job?.result as { document_count: number; counts: Record<string, number> } | null | undefined;
  if (job?.status !== 'succeeded' || !result) {
    printFailedAudit({ message: job?.error_text ?? 'it has no result' });
    return;
  }
  const found = Object.entries(result.counts);
  if (found.length === 0) {
    print(`The integrity audit of ${result.document_count} documents found nothing.`);
    return;
  }
  print('The data are restored as they were. The integrity audit found:');
  for (const [kind, count] of found) print(`  ${count} × ${kind}`);
  print(`See docs/integrity.md, and GET /api/v1/jobs/${job.job_id}/findings.`);
  process.exitCode = RESTORED_WITH_FINDINGS;
}
