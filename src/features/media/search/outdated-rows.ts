import { z } from 'zod';
import type { Database } from '../../../platform/database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import { rebuildSearchRows } from '../integrity.ts';
import { SEARCH_ROWS_VERSION } from './search-rows.ts';
import { listOutdated } from './search-store.ts';

const LISTED_AT_ONCE = 100;
const EVERY_SECONDS = 60;
/** The job ends after half of its interval, so that other work gets its turn on a server with a single worker. */
const MOST_MS = 30_000;

/**
 * Rebuilds the search rows that an earlier release wrote in another way. An upgrade would otherwise wait for all texts of a large
 * installation to be parsed again. Until then such a media is found as before.
 */
export function periodicOutdatedRows(sql: Database) {
  const type = defineJobType('outdated_search_rows', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal }) {
      const start = performance.now();
      let rebuilt = 0;
      for (;;) {
        const mediaIds = await listOutdated(sql, SEARCH_ROWS_VERSION, LISTED_AT_ONCE);
        for (const mediaId of mediaIds) {
          signal.throwIfAborted();
          await rebuildSearchRows(sql, mediaId);
          rebuilt += 1;
          if (performance.now() - start > MOST_MS) return { result: { rebuilt } };
        }
        if (mediaIds.length === 0) return { result: { rebuilt } };
      }
    },
  });
  return { type, everySeconds: EVERY_SECONDS };
}
