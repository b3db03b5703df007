import type { Database } from '../database/database.ts';

/**
 * Settings for the connections on which work is claimed and settled.
 *
 * A plan that PostgreSQL makes while a queue is empty reads the whole table, in nested loops, and is kept while the
 * queue fills: with 10,000 jobs queued at once behind an idle worker, that was 223 jobs a second. So only the plans that
 * are right for a full queue are allowed; on an empty one they cost nothing.
 */
export const STEADY_PLANS = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_nestloop: 'off',
  enable_mergejoin: 'off',
  // Left to itself, PostgreSQL plans outcomes anew for every batch: 0.8 of 1.1 ms for a single job.
  plan_cache_mode: 'force_generic_plan',
  // Up to PostgreSQL 17, plans that are switched off count as very expensive, and expensive statements are compiled first.
  jit: 'off',
};

/** A connection of its own for one kind of statement: it waits for no other, and is planned once. */
export function openLane(sql: Database): Database {
  return sql.sibling({ poolSize: 1, settings: STEADY_PLANS, keepsIdle: true });
}
