import type { Database, Queryable } from '../database/database.ts';
import { identifier, type SqlFragment } from '../database/statement.ts';
import { INTERRUPTION_DELAYS, MAX_INTERRUPTIONS } from './interruption.ts';

/** The tables whose rows are claimed in place: events and deliveries. */
type ClaimedTable = 'outbox_event' | 'webhook_deliveries';

/** Releases all rows of a claim, as if they had not been claimed. Returns how many there were. */
export async function releaseClaimed(sql: Database, table: ClaimedTable, token: string): Promise<number> {
  const released = await sql`
    update ${identifier(table)}
    set attempts = attempts - 1,
        claim_id = null,
        worker_id = null
    where status = 'pending' and claim_id = ${token}`;
  return released.count;
}

/** Sets the columns of a row whose worker has died. Interrupted too often, it has failed. */
export function interruptedColumns(sql: Queryable, row: SqlFragment): SqlFragment {
  const count = sql`${row}.interruptions + 1`;
  return sql`
    status = case when ${count} >= ${MAX_INTERRUPTIONS} then 'failed' else 'pending' end,
    next_attempt_at = case
      when ${count} < ${MAX_INTERRUPTIONS}
      then now() + interval '1 second'
        * (${[...INTERRUPTION_DELAYS]}::float8[])[least(${count}, ${INTERRUPTION_DELAYS.length})]
    end,
    interruptions = ${count},
    claim_id = null,
    worker_id = null,
    updated_at = now()`;
}
