import path from 'node:path';
import {
  type ConnectionTarget,
  connectionConfig,
  type Database,
  openDatabase,
  refuseOldServer,
} from '../platform/database/database.ts';
import { startEmbedded } from '../platform/database/embedded/embedded.ts';
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

export interface OpenOptions {
  log: Logger;
  /** The command, for the list of connections: `serve`, `keys create`, … */
  purpose: string;
  /** Whether to fail, or to connect, when another Nexus runs the embedded server. */
  whenOwned: 'refuse' | 'share';
}

/** Opens the database for a command that only uses it. Sets up an empty database; refuses one that needs migrations. */
export async function openCurrentDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  const database = await openConfiguredDatabase(config, options);
  try {
    const pending = await pendingMigrations(database.sql, database.migrations);
    if (pending.length === database.migrations.length) await migrate(database.sql, database.migrations);
    else if (pending.length > 0) {
      throw new Error(
        `The database lacks ${pending.length} migrations of this release. Run \`nexus migrate\`, or start \`nexus serve\`.`,
      );
    }
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the configured database, or starts the embedded one, and migrates it. */
export async function openMigratedDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
  const database = await openConfiguredDatabase(config, options);
  try {
    const applied = await migrate(database.sql, database.migrations);
    for (const { name } of applied) options.log.info(`applied migration ${name}`);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

export async function openConfiguredDatabase(config: Config, options: OpenOptions): Promise<OpenDatabase> {
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

  async function close() {
    await sql.end();
    await embedded?.stop();
  }

  const place = embedded ? `${config.dataDir} (embedded PostgreSQL)` : databaseName(config.databaseUrl ?? '');
  try {
    await sql`select`.then(undefined, (error) => {
      throw new Error(`${place} cannot be reached: ${reason(error)}`, { cause: error });
    });
    await refuseOldServer(sql);
  } catch (error) {
    await close();
    throw error;
  }
  return { sql, listenAt: config.database.isPooled ? undefined : target, migrations, place, close };
}

/** Returns the message of an error. When a name has several addresses, each has an error of its own inside another one. */
function reason(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(reason).join('; ') : (error as Error).message;
}

/** Describes a database URL without its password. */
function databaseName(url: string): string {
  const { host, port, database } = connectionConfig({ url });
  return `PostgreSQL at ${host || 'localhost'}${port ? `:${port}` : ''}, database ${database}`;
}
