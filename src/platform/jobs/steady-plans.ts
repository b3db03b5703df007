/**
 * Settings for the connections of the queue's hot path.
 *
 * A plan that PostgreSQL makes while the queue is empty reads the whole table, in loops within loops, and is kept while
 * the queue fills: with 10,000 jobs queued at once behind an idle worker, that was 223 jobs a second. So the planner is
 * left with what is right for a full queue, and that costs nothing on an empty one.
 */
export const STEADY_PLANS = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_nestloop: 'off',
  enable_mergejoin: 'off',
  // Left to itself, PostgreSQL plans outcomes anew for every batch: 0.8 of 1.1 ms for a single job.
  plan_cache_mode: 'force_generic_plan',
  // Up to PostgreSQL 17, what is switched off counts as very dear, and very dear statements are compiled first.
  jit: 'off',
};
