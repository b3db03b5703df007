import { expect, test, vi } from 'vitest';
import { transaction } from '../../src/platform/database/transaction.ts';
import { useApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/jobs.ts';
import { auditOf, createLibrary, createReader, join, saveMedia } from '../support/libraries.ts';
import { startNexus } from '../support/nexus-process.ts';
import { statementBlocked } from '../support/races.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const env = { NEXUS_DATABASE_URL: database.url, NEXUS_WORKER_LEASE_SECONDS: '1' };

test('a worker killed in the middle of a backfill: the row is taken back, counted, and completed elsewhere', async () => {
  const [owner, member] = [await createReader(app), await createReader(app)];
  const library = await createLibrary(owner);
  const media_id = await saveMedia(sql, owner);
  await owner.post(`/libraries/${library}/media`, { media_id });
  await join(owner, library, member);
  const row = async () =>
    (
      await sql`
        select status, attempts::int, default_library_id, source_library_id, user_id
        from default_library_backfill_jobs where user_id = ${member.id}`
    )[0];

  // A lock on the library stops the backfill when it is claimed and in a transaction.
  const held = gate();
  const holder = transaction(database.twoConnections()[0], async (tx) => {
    await tx`select from libraries where id = ${library} for update`;
    await held.opened;
  });
  const victim = startNexus(['worker'], { env });
  await statementBlocked(sql);
  expect(await row()).toMatchObject({ status: 'running', attempts: 0 });
  await victim.stop('SIGKILL');
  held.open();
  await holder;

  const heir = startNexus(['worker'], { env });
  await vi.waitFor(
    async () => expect(await row()).toMatchObject({ status: 'completed', attempts: 0 }),
    20_000,
  );
  expect(await auditOf(sql)).toEqual([]);
  expect(await heir.stop()).toBe(0);
});
