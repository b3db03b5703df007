import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { type Config, parseConfig, readEnvironment } from '../app/config.ts';
import { adaptToNewServer } from '../features/backup/new-server.ts';
import { copyDatabase } from '../platform/backup/copy-database.ts';
import { type ConnectionTarget, type Database, openDatabase } from '../platform/database/database.ts';
import { upgradeCluster } from '../platform/database/embedded/upgrade.ts';
import { readMigrations } from '../platform/database/migrator.ts';
import { createLogger } from '../platform/telemetry/logger.ts';
import { print } from './output.ts';
import { size } from './progress.ts';

export function define(command: Command): void {
  command.action(async () => {
    const config = parseConfig(readEnvironment());
    if (config.databaseUrl) {
      throw new Error(
        'NEXUS_DATABASE_URL is set: Nexus does not use its embedded PostgreSQL. Upgrade the server there with its own tools.',
      );
    }
    const directory = path.join(config.dataDir, 'postgres');
    const log = createLogger({ level: 'warn', format: 'pretty' });
    const upgrade = await upgradeCluster({
      directory,
      log,
      copy: (from, to) => copy(config, from, to),
    });
    if (!upgrade) return print('The data have the version of this release already. There is nothing to do.');
    print(`\nThe data are those of PostgreSQL ${upgrade.to} now. Start Nexus as usual.`);
    print(`The data of PostgreSQL ${upgrade.from} are kept in ${upgrade.kept}.`);
    print('Delete them when you have seen that everything is there.');
  });
}

async function copy(config: Config, from: ConnectionTarget, to: ConnectionTarget): Promise<void> {
  const open = (target: ConnectionTarget) =>
    openDatabase(target, { ...config.database, applicationName: 'nexus upgrade-database' });
  const [source, target] = [open(from), open(to)];
  try {
    await requireSpace(source, config);
    const { tables, rows } = await copyDatabase({
      from: source,
      to: target,
      migrations: await readMigrations(),
      beforeCommit: adaptToNewServer,
      onTable: (name, copied) => {
        if (copied > 0) print(`Copied ${copied.toLocaleString('en')} rows of ${name}.`);
      },
    });
    print(
      `Compared ${rows.toLocaleString('en')} rows in ${tables} tables with the originals: all are equal.`,
    );
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

/** For a while, the data are there twice. */
async function requireSpace(sql: Database, { dataDir }: Config): Promise<void> {
  const [row] = await sql<[{ bytes: number }]>`select pg_database_size(current_database()) as bytes`;
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize > row.bytes * 1.2) return;
  throw new Error(
    `The copy needs ${size(row.bytes * 1.2)}, and ${size(bavail * bsize)} are free in ${dataDir}. Make room first. Nothing was changed.`,
  );
}
