import { z } from 'zod';
import { type Config, parseConfig, readEnvironment } from '../app/config.ts';
import { openCurrentDatabase } from '../app/database.ts';
import type { Services } from '../app/nexus.ts';
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
  // Loaded here, because it is most of Nexus: wrong arguments are refused before.
  const { createNexus } = await import('../app/nexus.ts');
  const { createResources } = await import('../app/resources.ts');
  const { createMetrics } = await import('../platform/telemetry/metrics.ts');
  return finishDespiteSignals(async () => {
    const database = await openCurrentDatabase(config, { log, purpose, whenOwned: 'share' });
    const resources = createResources({ config, log });
    const nexus = createNexus({ sql: database.sql, log, config, metrics: createMetrics(), resources });
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
  read: (query: { limit: number; cursor: string | undefined }) => Promise<{ data: Row[]; page: Page }>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, page } = await read({ limit: 200, cursor });
    all.push(...data);
    if (page.next_cursor === null) return all;
    cursor = page.next_cursor;
  }
}

/** Checks a command's arguments against the schema of the API. */
export function parseArguments<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new Error(z.prettifyError(parsed.error));
}
