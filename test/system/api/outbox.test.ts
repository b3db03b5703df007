import { expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { emit, someEvent } from '../../support/outbox.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const key = DEV_KEYS.admin;
const get = (path: string) => app.call('GET', `/api/v1/outbox${path}`, { key });

test('operators list events by status, and read one with its deliveries', async () => {
  const [one, two] = [await emit(sql, someEvent()), await emit(sql, someEvent())];
  await sql`update outbox_event set status = 'failed', next_attempt_at = null, attempts = 5, error_message = 'no'
    where id = ${one.id}`;
  await sql`insert into outbox_delivery (event_id, subscriber, error_message) values (${one.id}, 'reader', 'no')`;
  const failed = await get('/events?status=failed');
  expect(failed.body.data).toMatchObject([{ id: one.id, status: 'failed', error_message: 'no' }]);
  const page = await get('/events?event_type=library.created&limit=1');
  expect(page.body).toMatchObject({ data: [{ id: two.id }], page: { has_more: true } });
  const rest = await get(`/events?event_type=library.created&limit=1&cursor=${page.body.page.next_cursor}`);
  expect(rest.body.data).toMatchObject([{ id: one.id }]);
  expect((await get(`/events?aggregate_id=${two.aggregate_id}`)).body.data).toMatchObject([{ id: two.id }]);
  expect((await get(`/events/${one.id}`)).body.data).toMatchObject({
    id: one.id,
    payload: one.payload,
    deliveries: [{ subscriber: 'reader', attempts: 1, error_message: 'no', delivered_at: null }],
  });
  expect(await get(`/events/${newId()}`)).toMatchObject(failure(404, 'E_NOT_FOUND'));
  expect(await get('/events?status=odd')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
});

test('an operator retries a failed event, which is audited; one in another state is 409', async () => {
  const { id } = await emit(sql, someEvent());
  const retry = () => app.call('POST', `/api/v1/outbox/events/${id}/retry`, { key });
  expect(await retry()).toMatchObject(failure(409, 'E_INVALID_STATE'));
  await sql`update outbox_event set status = 'failed', next_attempt_at = null, attempts = 5 where id = ${id}`;
  expect((await get('/health')).body.data).toMatchObject({
    failed_count: expect.any(Number),
    failing_webhooks: 0,
  });
  expect(await retry()).toMatchObject({ status: 200, body: { data: { status: 'pending', attempts: 0 } } });
  const [audited] = await sql`select actor, details from audit_logs where action = 'outbox.retried'`;
  expect(audited).toMatchObject({ actor: 'dev-admin', details: { event_id: id } });
  expect(await app.call('POST', `/api/v1/outbox/events/${newId()}/retry`, { key })).toMatchObject(
    failure(404, 'E_NOT_FOUND'),
  );
});

test('backlogs are metrics', async () => {
  const { body } = await app.call('GET', '/metrics');
  const health = (await get('/health')).body.data;
  expect(body.counters).toMatchObject({
    'outbox.pending_count': health.pending_count,
    'outbox.failed_count': health.failed_count,
    'backfill.pending_count': 0,
    'backfill.degraded': 0,
    'events.open_streams': 0,
  });
  expect(health.pending_count).toBeGreaterThan(0);
});
