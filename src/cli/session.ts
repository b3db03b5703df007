import { createServices, type Services } from '../app/build-app.ts';
import { parseConfig, readEnvironment } from '../app/config.ts';
import { openMigratedDatabase } from '../app/database.ts';
import { createLogger } from '../platform/telemetry/logger.ts';

/** Commands say what they have to say on standard output; only what goes wrong is worth a log line. */
const QUIET = { level: 'warn', format: 'pretty' } as const;

export const CLI_ACTOR = { name: 'cli' };

/** Runs a short command against the database, beside a running Nexus if there is one. */
export async function withServices<T>(purpose: string, work: (services: Services) => Promise<T>): Promise<T> {
  const config = parseConfig(readEnvironment());
  const log = createLogger(QUIET);
  const database = await openMigratedDatabase(config, { log, purpose, whenOwned: 'share' });
  try {
    return await work(createServices(database.sql, config));
  } finally {
    await database.close();
  }
}
