/** Beyond these, the backlog of backfills is called degraded. */
export const BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS = 900;
export const BACKFILL_PENDING_COUNT_GUARDRAIL = 500;
