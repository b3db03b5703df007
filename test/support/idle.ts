import { expect, vi } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';

/** Waits until every event is delivered and no job of the default queue is left. */
export async function untilIdle(sql: Database): Promise<void> {
  await vi.waitFor(
    async () => {
      expect(await sql`select from outbox_event where status = 'pending'`).toHaveLength(0);
      expect(await sql`select from job_queue where queue = 'default'`).toHaveLength(0);
    },
    { timeout: 30_000, interval: 50 },
  );
}
