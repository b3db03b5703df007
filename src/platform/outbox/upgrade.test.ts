import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { silentLog } from '../../../test/support/jobs.ts';
import { migrate, readMigrations } from '../database/migrator.ts';
import { newId } from '../ids.ts';
import { createDispatcher } from './dispatcher.ts';

const { sql } = useDatabase({ template: 'template0' });

test('an event whose last attempt an upgrade interrupted is delivered, and stops no other', async () => {
  const migrations = await readMigrations();
  await migrate(
    sql,
    migrations.filter(({ version }) => version < 22),
  );
  for (const [attempts, claimId] of [
    [5, newId()],
    [0, null],
  ]) {
    await sql`
      insert into outbox_event (
        id, event_type, schema_version, aggregate_type, aggregate_id, payload, idempotency_key, attempts, claim_id
      )
      values (${newId()}, 'library.created', 1, 'library', ${newId()}, '{}', ${newId()}, ${attempts}, ${claimId})`;
  }
  await migrate(sql, migrations);
  const seen: string[] = [];
  const reader = {
    name: 'reader',
    eventTypes: ['library.created'] as const,
    handler: async ({ id }: { id: string }) => void seen.push(id),
  };
  await createDispatcher({ sql, log: silentLog, subscribers: [reader] }).deliverDue();
  expect(seen).toHaveLength(2);
});
