import { type Config, parseConfig, readEnvironment } from '../app/config.ts';
import { openCurrentDatabase } from '../app/database.ts';
import { createNexus, type Services } from '../app/nexus.ts';
import { createResources } from '../app/resources.ts';
import { finishDespiteSignals } from '../app/shutdown.ts';
import type { Page } from '../contract/wire.ts';
import { createLogger } from '../platform/telemetry/logger.ts';

/** Commands print their results to standard output, so only problems are logged. */
const QUIET = { level: 'warn', format: 'pretty' } as const;

export const CLI_ACTOR = { name: 'cli' };

/** Runs a short command against the database, whether or not a Nexus is running on it. */
export async function withServices<T>(
  purpose: string,
  work: (services: Services, config: Config) => Promise<T>,
): Promise<T> {
  const config = parseConfig(readEnvironment());
  const log = createLogger(QUIET);
  return finishDespiteSignals(async () => {
    const database = await openCurrentDatabase(config, { log, purpose, whenOwned: 'share' });
    const resources = createResources({ config, log });
    const nexus = createNexus({ sql: database.sql, log, config, resources });
    try {
      return await work(nexus.services, config);
    } finally {
      await nexus.close();
      await resources.close();
      await database.close();
    }
  });
}

/** Reads a list to its end. */
export async function allPages<Row>(
  read: (cursor: string | undefined) => Promise<{ rows: Row[]; page: Page }>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let cursor: string | undefined; ; ) {
    const { rows, page } = await read(cursor);
    all.push(...rows);
    if (page.next_cursor === null) return all;
    cursor = page.next_cursor;
  }
}
