import { expect, test, vi } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { gate, silentLog } from '../../../test/support/jobs.ts';
import { transaction } from '../database/transaction.ts';
import { register } from './registration.ts';

const { sql } = useDatabase();

test('a worker whose renewal hangs gives up its row in time, enters under another one, and stays there', {
  tags: 'slow',
}, async () => {
  const warnings: string[] = [];
  const warn = (_details: object, message: string) => void warnings.push(message);
  const registration = await register({
    sql,
    log: Object.assign(Object.create(silentLog), { warn }),
    queues: ['default'],
    concurrency: 1,
    leaseSeconds: 1,
    runningCount: () => 0,
  });
  const lost = gate();
  registration.onLost(lost.open);
  const former = registration.current().id;
  const renewals = () => sql`
    select from workers where id = ${registration.current().id} and heartbeat_at > started_at`;
  await transaction(sql, async (tx) => {
    // The renewals wait for this lock.
    await tx`delete from workers where id = ${former}`;
    await lost.opened;
    await vi.waitFor(async () => expect(await renewals()).toHaveLength(1), 30_000);
  });
  // Now the first renewal learns that its row is gone, which must not concern the new row.
  await sql`update workers set heartbeat_at = started_at`;
  await vi.waitFor(async () => expect(await renewals()).toHaveLength(1), 30_000);
  expect(registration.current().id).not.toBe(former);
  expect(warnings).not.toContainEqual(expect.stringContaining('taken for dead'));
  await registration.close(false);
});
