import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { identifier } from '../../database/statement.ts';
import { transaction } from '../../database/transaction.ts';
import { firstIdAt } from '../../ids.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../job-type.ts';
import { deleteJobs, type Periodic } from './periodic.ts';

export interface Retention {
  sql: Database;
  /** The table to walk. Its ids grow with time. */
  table: string;
  hours: number;
  /** The number of rows in one transaction. */
  batch?: number;
  /** Deletes those of the rows that are over and old enough. Returns how many. */
  deleteOld(ids: string[]): Promise<number>;
}

const BATCH = 1000;
const MS_PER_HOUR = 60 * 60 * 1000;
const EVERY_SECONDS = 3600;

/** Periodic work that deletes old rows that are over, in batches, of one table after the other. */
export function periodicRetention(name: string, ...retentions: Retention[]): Periodic {
  const type = defineJobType(name, {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      let deleted = 0;
      for (const retention of retentions) {
        for await (const count of deleteInBatches(retention)) {
          signal.throwIfAborted();
          deleted += count;
          await progress({ deleted });
        }
      }
      return { result: { deleted } };
    },
  });
  return { type, everySeconds: EVERY_SECONDS };
}

/** Walks the table from the oldest row to where rows are too young. Yields how many of each batch were deleted. */
export async function* deleteInBatches(retention: Retention): AsyncGenerator<number> {
  const { sql, table, hours, batch = BATCH, deleteOld } = retention;
  const youngest = firstIdAt(new Date(Date.now() - hours * MS_PER_HOUR));
  let last = firstIdAt(new Date(0));
  for (;;) {
    const candidates = await sql<{ id: string }[]>`
      select id from ${identifier(table)} where id > ${last} and id < ${youngest} order by id limit ${batch}`;
    const lastCandidate = candidates.at(-1);
    if (!lastCandidate) return;
    yield await deleteOld(candidates.map(({ id }) => id));
    last = lastCandidate.id;
  }
}

/** Deletes jobs that have been over for `days`. It locks them first, so that none is queued again meanwhile. */
export function periodicJobRetention(sql: Database, days: number): Periodic {
  const deleteOld = (ids: string[]) =>
    transaction(sql, async (tx) => {
      const locked = await tx<{ id: string }[]>`
        select id from jobs where id = any(${ids}) order by id for update skip locked`;
      const over = await tx<{ id: string }[]>`
        select jobs.id
        from jobs
        left join job_attempts on job_attempts.job_id = jobs.id
        where jobs.id = any(${locked.map(({ id }) => id)})
          and not exists (select from job_queue where job_queue.job_id = jobs.id)
        group by jobs.id
        having greatest(max(job_attempts.finished_at), jobs.cancelled_at) < now() - ${days} * interval '1 day'`;
      const old = over.map(({ id }) => id);
      await deleteJobs(tx, old);
      return old.length;
    });
  return periodicRetention('job_retention', { sql, table: 'jobs', hours: days * 24, deleteOld });
}
