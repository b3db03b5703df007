import path from 'node:path';
import {
  type ConnectionTarget,
  connectionConfig,
  type Database,
  openDatabase,
  refuseOldServer,
} from '../platform/database/database.ts';
import { startEmbedded } from '../platform/database/embedded/embedded.ts';
import { splitHosts } from '../platform/database/hosts.ts';
import { type Migration, migrate, pendingMigrations, readMigrations } from '../platform/database/migrator.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Config } from './config.ts';

export interface OpenDatabase {
  sql: Database;
  /** The target of LISTEN connections; undefined behind a pooler, which does not support them. */
  listenAt: ConnectionTarget | undefined;
  migrations: Migration[];
  /** A description of where the data is, for the log and error messages. */
  place: string;
  close(): Promise<void>;
}

interface OpenOptions {
  log: Logger;
  /** The command, for the list of connections: `serve`, `keys create`, … */
  purpose: string;
  /** Whether to fail, or to connect, when another Nexus runs the embedded server. */
  whenOwned: 'refuse' | 'share';
}

/** Opens the database for a command that only uses it. Sets up an empty database; refuses one that needs migrations. */
export async function openCurrentDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  return openConfiguredDatabase(config, options, async ({ sql, migrations }) => {
    const pending = await pendingMigrations(sql, migrations);
    if (pending.length === migrations.length) await migrate(sql, migrations);
    else if (pending.length > 0) {
      throw new Error(
        `The database lacks ${pending.length} migrations of this release. Run \`nexus migrate\`, or start \`nexus serve\`.`,
      );
    }
  });
}

/** Opens the configured database, or starts the embedded one, and migrates it. */
export async function openMigratedDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  return openConfiguredDatabase(config, options, async ({ sql, migrations }) => {
    for (const { name } of await migrate(sql, migrations)) options.log.info(`applied migration ${name}`);
  });
}

/** Opens the database and prepares it. Closes it again when that fails. */
export async function openConfiguredDatabase(
  config: Config,
  options: OpenOptions,
  prepare?: (database: OpenDatabase) => Promise<void>,
): Promise<OpenDatabase> {
  const migrations = await readMigrations();
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbedded({
        ...options,
        directory: path.join(config.dataDir, 'postgres'),
        poolSize: config.database.poolSize,
      });
  const target = embedded ? embedded.connection : { url: config.databaseUrl ?? '' };
  const sql = openDatabase(target, { ...config.database, applicationName: `nexus ${options.purpose}` });
  const database: OpenDatabase = {
    sql,
    listenAt: config.database.isPooled ? undefined : target,
    migrations,
    place: embedded ? `${config.dataDir} (embedded PostgreSQL)` : databaseName(config.databaseUrl ?? ''),
    async close() {
      await sql.end();
      await embedded?.stop();
    },
  };
  try {
    await sql`select`.then(undefined, (error) => {
      throw new Error(`${database.place} cannot be reached: ${reason(error)}`, { cause: error });
    });
    await refuseOldServer(sql);
    await prepare?.(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Returns the message of an error. When a name has several addresses, each has an error of its own inside another one. */
function reason(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(reason).join('; ') : (error as Error).message;
}

/** Describes a database URL without its password. */
function databaseName(url: string): string {
  const configs = splitHosts(url).map((one) => connectionConfig({ url: one }));
  const hosts = configs.map(({ host, port }) => `${host || 'localhost'}${port ? `:${port}` : ''}`);
  return `PostgreSQL at ${hosts.join(' or ')}, database ${configs[0]?.database}`;
}
