/** The thresholds beyond which the backlog of backfills is degraded. This file imports no zod: the web app shows them. */
export const BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS = 900;
export const BACKFILL_PENDING_COUNT_GUARDRAIL = 500;
