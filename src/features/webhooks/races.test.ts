import { beforeEach, expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { silentLog } from '../../../test/support/jobs.ts';
import { emit, someEvent } from '../../../test/support/outbox.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { createDispatcher } from '../../platform/outbox/dispatcher.ts';
import { disableWebhook, insertWebhook } from './store.ts';
import { createWebhooks, subscribeWebhooks } from './webhooks.ts';

const database = useDatabase();
const { sql } = database;
const [a, b] = database.twoConnections();
const actor = { name: 'test' };
let id: string;

const webhooksOn = (connection: Database) =>
  createWebhooks({ sql: connection, egress: { check: async () => undefined as never } });
const disable = (connection: Database) =>
  transaction(connection, (tx) => disableWebhook(tx, id, 'Nobody answers.'));

/** Emits an event and dispatches it, so that its delivery to the webhook is inserted. */
async function deliver(connection: Database): Promise<void> {
  await emit(sql, someEvent());
  const subscribers = [subscribeWebhooks(connection)];
  await createDispatcher({ sql, log: silentLog, subscribers }).deliverDue();
}

const statuses = async () => {
  const rows = await sql<{ status: string }[]>`
    select status from webhook_deliveries where webhook_id = ${id}`;
  return rows.map(({ status }) => status);
};

beforeEach(async () => {
  id = newId();
  await sql`delete from webhooks`;
  await transaction(sql, (tx) => insertWebhook(tx, { id, url: 'https://example.org/', event_types: [] }));
});

test('an event that arrives while its webhook is disabled leaves no delivery behind', async () => {
  const held = holdBeforeCommit(a);
  const disabling = disable(held.sql);
  await held.reached;
  const delivering = deliver(b);
  expect(await blockedOrDone(sql, delivering)).toBe('blocked');
  held.letGo();
  await Promise.all([disabling, delivering]);
  expect(await statuses()).toEqual([]);
});

test('a webhook that is disabled while a delivery is inserted fails it', async () => {
  const held = holdBeforeCommit(a);
  const delivering = deliver(held.sql);
  await held.reached;
  const disabling = disable(b);
  expect(await blockedOrDone(sql, disabling)).toBe('blocked');
  held.letGo();
  await Promise.all([disabling, delivering]);
  expect(await statuses()).toEqual(['failed']);
});

test('a delivery cannot be replayed while its webhook is disabled', async () => {
  await deliver(sql);
  await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null`;
  const [delivery] = await sql<{ id: string }[]>`select id from webhook_deliveries where webhook_id = ${id}`;
  const held = holdBeforeCommit(a);
  const disabling = disable(held.sql);
  await held.reached;
  const replaying = webhooksOn(b).replay(id, delivery?.id ?? '', actor);
  const refused = expect(replaying).rejects.toMatchObject({ code: 'E_INVALID_STATE' });
  expect(await blockedOrDone(sql, replaying)).toBe('blocked');
  held.letGo();
  await Promise.all([disabling, refused]);
  expect(await statuses()).toEqual(['failed']);
});
