import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { identifier } from '../../database/statement.ts';
import { firstIdAt } from '../../ids.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../job-type.ts';
import type { Periodic } from './periodic.ts';

export interface Retention {
  sql: Database;
  /** The table to walk. Its ids grow with time. */
  table: string;
  hours: number;
  /** Deletes those of the rows that are over and old enough. Returns how many. */
  deleteOld(ids: string[]): Promise<number>;
}

const BATCH = 1000;
const MS_PER_HOUR = 60 * 60 * 1000;
const EVERY_SECONDS = 3600;

/** Periodic work that deletes what has been over for long enough, in batches. */
export function periodicRetention(name: string, retention: Retention): Periodic {
  const type = defineJobType(name, {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      let deleted = 0;
      for await (const count of deleteInBatches(retention)) {
        signal.throwIfAborted();
        deleted += count;
        await progress({ deleted });
      }
      return { result: { deleted } };
    },
  });
  return { type, everySeconds: EVERY_SECONDS };
}

/** The oldest rows come first, and the walk ends where rows are too young. Yields how many of each batch were deleted. */
export async function* deleteInBatches({ sql, table, hours, deleteOld }: Retention): AsyncGenerator<number> {
  const youngest = firstIdAt(new Date(Date.now() - hours * MS_PER_HOUR));
  let last = firstIdAt(new Date(0));
  for (;;) {
    const candidates = await sql<{ id: string }[]>`
      select id from ${identifier(table)} where id > ${last} and id < ${youngest} order by id limit ${BATCH}`;
    const lastCandidate = candidates.at(-1);
    if (!lastCandidate) return;
    yield await deleteOld(candidates.map(({ id }) => id));
    last = lastCandidate.id;
  }
}
