import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { gate, type StartedSource, silentLog, startSource } from '../../../test/support/jobs.ts';
import { emit, someEvent } from '../../../test/support/outbox.ts';
import { type Received, type Reply, startReceiver } from '../../../test/support/webhook-receiver.ts';
import { createEgress } from '../../platform/egress/egress.ts';
import { newId } from '../../platform/ids.ts';
import { createDispatcher } from '../../platform/outbox/dispatcher.ts';
import { recoverDeadWorkers } from '../../platform/work/recovery.ts';
import { deliveryDelay } from './schedule.ts';
import { createSender, type SenderOptions } from './sender.ts';
import { claimDeliveries } from './sending-store.ts';
import { signatures } from './signature.ts';
import { subscribeWebhooks } from './webhooks.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: '127.0.0.1/32' });
const egress = createEgress({ allow: ['127.0.0.1/32'] });
const dispatcher = createDispatcher({ sql, log: silentLog, subscribers: [subscribeWebhooks(sql)] });
const started: StartedSource[] = [];
const key = DEV_KEYS.admin;

const senderOf = (options: Partial<SenderOptions> = {}) =>
  createSender({ sql, log: silentLog, egress, random: () => 0, ...options });
const send = async (options: Partial<SenderOptions> = {}) =>
  started.push(await startSource(database, senderOf(options), options.sql ? { sql: options.sql } : {}));

beforeAll(() => sql`delete from outbox_event`);
afterEach(async () => {
  await Promise.all(started.splice(0).map((source) => source.stop()));
  await sql`delete from webhooks`;
  await sql`delete from outbox_event`;
});

async function create(url: string, event_types: string[] = []) {
  const { status, body } = await app.call('POST', '/api/v1/webhooks', { key, body: { url, event_types } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data as { id: string; secret: string };
}

/** Emits an event and puts it on its way. */
async function happen() {
  const event = await emit(sql, someEvent());
  await dispatcher.deliverDue();
  return event;
}

const deliveries = async (id: string, query = '') =>
  (await app.call('GET', `/api/v1/webhooks/${id}/deliveries${query}`, { key })).body.data;

const settled = (id: string, status: string, attempts = 1) =>
  vi.waitFor(async () => expect(await deliveries(id)).toMatchObject([{ status, attempts }]), 30_000);

const makeDue = () => sql`update webhook_deliveries set next_attempt_at = now() where status = 'pending'`;

describe('the signature', () => {
  test("of the standard's test vector comes out right", () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const body = '{"test": 2432232314}';
    expect(signatures([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  test('is verified by the public library, while a secret is rotated with both', async () => {
    const receiver = await startReceiver();
    const { id, secret } = await create(receiver.site.url);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    const rotated = await app.call('POST', `/api/v1/webhooks/${id}/rotate-secret`, { key });
    expect(rotated.status).toBe(200);
    expect(rotated.body.data.secret).not.toBe(secret);
    await send();
    await happen();
    const [received] = await receiver.has(1);
    const { body, headers } = received as Received;
    const signed = headers as Record<string, string>;
    for (const known of [secret, rotated.body.data.secret]) {
      expect(new Webhook(known).verify(body, signed)).toEqual(JSON.parse(body));
      expect(() => new Webhook(known).verify(`${body} `, signed)).toThrow();
    }
    await settled(id, 'delivered');
    await app.call('POST', `/api/v1/webhooks/${id}/rotate-secret`, { key, body: { overlap_hours: 0 } });
    await happen();
    const last = (await receiver.has(2))[1] as Received;
    expect(() => new Webhook(secret).verify(last.body, last.headers as Record<string, string>)).toThrow();
  });
});

describe('a delivery', () => {
  test('is a CloudEvent with its headers, sent when the event has been committed, and logged', async () => {
    const receiver = await startReceiver(() => ({ status: 200, body: 'x'.repeat(5000) }));
    const { id } = await create(receiver.site.url, ['library.created']);
    await send();
    started.push(await startSource(database, dispatcher));
    const event = await emit(sql, someEvent({ requestId: 'r-7' }));
    const [received] = await receiver.has(1);
    expect(received?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': event.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,\S{44}$/),
    });
    expect(JSON.parse(received?.body ?? '')).toEqual({
      specversion: '1.0',
      id: event.id,
      source: '/nexus',
      type: 'library.created',
      subject: `library/${event.aggregate_id}`,
      time: event.created_at.toISOString(),
      datacontenttype: 'application/json',
      schemaversion: 1,
      requestid: 'r-7',
      data: event.payload,
    });
    await settled(id, 'delivered');
    expect(await deliveries(id)).toMatchObject([
      {
        event_id: event.id,
        event_type: 'library.created',
        request_body: received?.body,
        error_message: null,
        next_attempt_at: null,
        delivered_at: expect.any(String),
        log: [
          {
            url: `${receiver.site.url}`,
            response_status: 200,
            response_body: 'x'.repeat(1024),
            duration_ms: expect.any(Number),
            request_headers: { 'webhook-id': event.id },
          },
        ],
      },
    ]);
    expect(await deliveries(id, '?status=failed')).toEqual([]);
  });

  test('goes only to webhooks that want its type, once however often the event is told', async () => {
    const receiver = await startReceiver();
    await create(receiver.site.url, ['library.deleted']);
    const { id } = await create(receiver.site.url, ['library.created']);
    const event = await happen();
    await sql`delete from outbox_delivery`;
    await sql`update outbox_event set status = 'pending', delivered_at = null, next_attempt_at = now(), attempts = 0`;
    await dispatcher.deliverDue();
    expect([...(await sql`select webhook_id, event_id from webhook_deliveries`)]).toMatchObject([
      { webhook_id: id, event_id: event.id },
    ]);
  });

  test.each<[string, Reply, string]>([
    ['a failure', { status: 500, body: 'oops' }, 'It answered 500.'],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, 'redirects are not followed'],
  ])('that is answered with %s is tried again after 5 s, then 5 min', async (_case, reply, error) => {
    const receiver = await startReceiver(() => reply);
    const { id } = await create(receiver.site.url);
    await happen();
    await send();
    const waits = async () =>
      (
        await sql<[{ waits: number }]>`
          select extract(epoch from next_attempt_at - updated_at)::float8 as waits from webhook_deliveries`
      )[0].waits;
    await vi.waitFor(
      async () =>
        expect(await deliveries(id)).toMatchObject([
          { status: 'pending', error_message: expect.stringContaining(error) },
        ]),
      30_000,
    );
    expect(await waits()).toBe(5);
    await makeDue();
    started[0]?.wake();
    await vi.waitFor(async () => expect(await waits()).toBe(300), 30_000);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map((request) => request.id)).size).toBe(1);
    expect((await app.call('GET', '/api/v1/outbox/health', { key })).body.data).toMatchObject({
      failing_webhooks: 1,
      pending_webhook_deliveries: 1,
    });
  });

  test('waits as long as Retry-After asks', async () => {
    const receiver = await startReceiver(() => ({ status: 503, headers: { 'retry-after': '1000' } }));
    const { id } = await create(receiver.site.url);
    await happen();
    await send();
    await vi.waitFor(
      async () => expect((await deliveries(id))[0].error_message).toBe('It answered 503.'),
      30_000,
    );
    const [row] = await sql`
      select extract(epoch from next_attempt_at - updated_at)::int as waits from webhook_deliveries`;
    expect(row).toEqual({ waits: 1000 });
  });

  test('has failed when all attempts are used up', async () => {
    const receiver = await startReceiver(() => ({ status: 500 }));
    const { id } = await create(receiver.site.url);
    await happen();
    await sql`update webhook_deliveries set attempts = 9`;
    await send();
    await settled(id, 'failed', 10);
  });

  test('to a host that is not there is logged with its code', async () => {
    const { id } = await create('http://127.0.0.1:9');
    await happen();
    await send();
    await vi.waitFor(
      async () =>
        expect(await deliveries(id)).toMatchObject([
          { status: 'pending', log: [{ response_status: null, error_code: 'E_CONNECT_FAILED' }] },
        ]),
      30_000,
    );
  });

  test('to an endpoint that hangs delays nobody else, and has failed when its time is over', {
    tags: 'slow',
  }, async () => {
    const [hanging, healthy] = [await startReceiver(() => 'hang'), await startReceiver()];
    const stuck = await create(hanging.site.url, ['library.created']);
    for (let n = 0; n < 30; n++) await emit(sql, someEvent());
    await dispatcher.deliverDue();
    await send({ answerSeconds: 2 });
    await hanging.has(10);
    await create(healthy.site.url, ['library.created']);
    await happen();
    await healthy.has(1);
    expect(hanging.received).toHaveLength(10);
    await vi.waitFor(
      async () =>
        expect(await deliveries(stuck.id, '?limit=200')).toContainEqual(
          expect.objectContaining({
            status: 'pending',
            log: [expect.objectContaining({ error_code: 'E_TIMEOUT' })],
          }),
        ),
      30_000,
    );
  });

  test('is sent by one of two senders at a time', async () => {
    const receiver = await startReceiver();
    await create(receiver.site.url);
    for (let n = 0; n < 50; n++) await emit(sql, someEvent());
    await dispatcher.deliverDue();
    const [a, b] = database.twoConnections();
    await send({ sql: a });
    await send({ sql: b });
    await receiver.has(50);
    await vi.waitFor(
      async () => expect(await sql`select from webhook_deliveries where status = 'pending'`).toHaveLength(0),
      30_000,
    );
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(50);
    expect(receiver.received).toHaveLength(50);
  });

  test('whose sender died is sent again when the lease is over; the dead one can write nothing', {
    tags: 'slow',
  }, async () => {
    const receiver = await startReceiver();
    const { id } = await create(receiver.site.url);
    await happen();
    const [workerId, wants] = [newId(), { ofOthers: 10, byWebhook: new Map() }];
    await sql`
      insert into workers (id, name, queues, concurrency, lease_expires_at)
      values (${workerId}, 'dead', '{}', 1, now() + interval '1 minute')`;
    const claim = () => claimDeliveries(sql, { workerId, token: newId(), wants });
    const [claimed] = await claim();
    expect(await claim()).toHaveLength(0);
    await sql`update workers set lease_expires_at = now() - interval '1 second' where id = ${workerId}`;
    await recoverDeadWorkers(sql, silentLog, [senderOf().takeBack]);
    await send();
    await settled(id, 'delivered', 2);
    expect((await deliveries(id))[0].log).toMatchObject([
      { error_code: 'E_LEASE_EXPIRED', error_message: expect.stringContaining('does not count') },
      { response_status: 204 },
    ]);
    const late = await sql`
      update webhook_deliveries set status = 'failed' where claim_id = ${claimed?.claim_id ?? ''}`;
    expect(late.count).toBe(0);
  });

  test('of which the sender died costs no attempt: the schedule goes on where it was', async () => {
    const receiver = await startReceiver(() => ({ status: 500 }));
    const { id } = await create(receiver.site.url);
    await happen();
    await sql`update webhook_deliveries set attempts = 4, interruptions = 3`;
    await send();
    await settled(id, 'pending', 5);
    await vi.waitFor(async () => {
      const [row] = await sql`
        select extract(epoch from next_attempt_at - updated_at)::float8 as waits from webhook_deliveries`;
      expect(row).toEqual({ waits: 300 });
    });
  });

  test('whose webhook is deleted meanwhile leaves nothing, and no error', async () => {
    const [answering, answer] = [gate(), gate()];
    const receiver = await startReceiver(async () => {
      answering.open();
      await answer.opened;
      return { status: 204 };
    });
    const { id } = await create(receiver.site.url);
    await happen();
    const errors: unknown[] = [];
    const log = Object.assign(Object.create(silentLog), { error: (line: unknown) => errors.push(line) });
    await send({ log });
    await answering.opened;
    await app.call('DELETE', `/api/v1/webhooks/${id}`, { key });
    answer.open();
    await Promise.all(started.splice(0).map((source) => source.stop(5)));
    expect(errors).toEqual([]);
    expect(await sql`select from webhook_attempts`).toHaveLength(0);
  });
});

describe('a webhook', () => {
  test.each([
    ['http://127.0.0.2/', 'E_SSRF_BLOCKED'],
    ['http://169.254.169.254/latest', 'E_SSRF_BLOCKED'],
    ['http://[::1]/', 'E_SSRF_BLOCKED'],
    ['ftp://example.org/', 'E_INVALID_URL'],
    ['http://user:pass@example.org/', 'E_INVALID_URL'],
    ['nonsense', 'E_INVALID_URL'],
  ] as const)('at %s is refused, made or changed', async (url, code) => {
    expect(await app.call('POST', '/api/v1/webhooks', { key, body: { url } })).toMatchObject(
      failure(400, code),
    );
    expect(await sql`select from webhooks`).toHaveLength(0);
    const { id } = await create('http://127.0.0.1/');
    expect(await app.call('PATCH', `/api/v1/webhooks/${id}`, { key, body: { url } })).toMatchObject(
      failure(400, code),
    );
    expect((await app.call('GET', `/api/v1/webhooks/${id}`, { key })).body.data.url).toBe(
      'http://127.0.0.1/',
    );
  });

  test('shows its secret once, and is listed, changed and deleted', async () => {
    const { id, secret } = await create('http://127.0.0.1/a', ['library.created']);
    const shown = await app.call('GET', `/api/v1/webhooks/${id}`, { key });
    expect(shown.body.data).toMatchObject({
      is_enabled: true,
      event_types: ['library.created'],
      failing_since: null,
    });
    expect(
      JSON.stringify([shown.body, (await app.call('GET', '/api/v1/webhooks', { key })).body]),
    ).not.toContain(secret);
    const changed = await app.call('PATCH', `/api/v1/webhooks/${id}`, {
      key,
      body: { url: 'http://127.0.0.1/b', event_types: [] },
    });
    expect(changed.body.data).toMatchObject({ url: 'http://127.0.0.1/b', event_types: [] });
    const unknown = await app.call('PATCH', `/api/v1/webhooks/${id}`, {
      key,
      body: { event_types: ['no.such'] },
    });
    expect(unknown).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect((await app.call('DELETE', `/api/v1/webhooks/${id}`, { key })).status).toBe(204);
    const gone = [
      await app.call('GET', `/api/v1/webhooks/${id}`, { key }),
      await app.call('DELETE', `/api/v1/webhooks/${newId()}`, { key }),
      await app.call('DELETE', `/api/v1/webhooks/${id}`, {
        key: (await createPerson(app, { role: 'admin' })).key,
      }),
    ];
    for (const answer of gone) expect(answer).toMatchObject(failure(404, 'E_NOT_FOUND'));
    // A second request with the same key gets the first answer and changes nothing.
    expect((await app.call('DELETE', `/api/v1/webhooks/${id}`, { key })).status).toBe(204);
    expect(
      await sql`
        select from audit_logs where action = 'webhook.deleted' and details ->> 'webhook_id' = ${id}`,
    ).toHaveLength(1);
    expect(await sql`select from webhook_secrets`).toHaveLength(0);
  });

  test('is at the path that the answer to its creation names', async () => {
    const made = await app.call('POST', '/api/v1/webhooks', { key, body: { url: 'http://127.0.0.1/a' } });
    const { secret, ...webhook } = made.body.data;
    const location = made.headers.get('location');
    expect(location).toBe(`/api/v1/webhooks/${webhook.id}`);
    const shown = await app.call('GET', location ?? '', { key });
    expect(shown).toMatchObject({ status: 200 });
    expect(shown.body).toEqual({ data: webhook });
    expect((await app.call('GET', '/api/v1/webhooks', { key })).body).toEqual({
      data: [webhook],
      page: { next_cursor: null, has_more: false },
    });
  });

  test('is disabled and enabled by an admin, which is audited', async () => {
    const { id } = await create('http://127.0.0.1/a');
    const change = (body: object) => app.call('PATCH', `/api/v1/webhooks/${id}`, { key, body });
    expect((await change({ is_enabled: false })).body.data).toMatchObject({
      is_enabled: false,
      disabled_reason: 'dev-admin disabled it.',
    });
    expect((await change({ is_enabled: true })).body.data).toMatchObject({
      is_enabled: true,
      disabled_reason: null,
    });
    expect(await change({ enabled: false })).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    const entries = await sql`
      select details from audit_logs
      where action = 'webhook.updated' and details ->> 'webhook_id' = ${id} order by id`;
    expect(entries.map(({ details }) => details.is_enabled)).toEqual([false, true]);
  });

  test('that answers 410 is disabled, and says so; enabled again, its deliveries can be replayed', async () => {
    let status = 410;
    const receiver = await startReceiver(() => ({ status }));
    const { id } = await create(receiver.site.url, ['library.created']);
    await happen();
    await emit(sql, someEvent());
    await send();
    await settled(id, 'failed');
    expect((await app.call('GET', `/api/v1/webhooks/${id}`, { key })).body.data).toMatchObject({
      is_enabled: false,
      disabled_reason: 'It answered 410 Gone.',
    });
    expect([
      ...(await sql`select payload from outbox_event where event_type = 'webhook.disabled'`),
    ]).toMatchObject([
      { payload: { webhook_id: id, url: receiver.site.url, reason: 'It answered 410 Gone.' } },
    ]);
    await dispatcher.deliverDue();
    const [delivery] = await deliveries(id);
    expect(await deliveries(id)).toHaveLength(1);
    const replay = () => app.call('POST', `/api/v1/webhooks/${id}/deliveries/${delivery.id}/replay`, { key });
    expect(await replay()).toMatchObject(failure(409, 'E_INVALID_STATE'));
    expect(await app.call('POST', `/api/v1/webhooks/${id}/test`, { key })).toMatchObject(
      failure(409, 'E_INVALID_STATE'),
    );
    await app.call('PATCH', `/api/v1/webhooks/${id}`, { key, body: { is_enabled: true } });
    status = 204;
    expect(await replay()).toMatchObject({ status: 202, body: { data: { status: 'pending', attempts: 0 } } });
    await settled(id, 'delivered');
    expect(new Set(receiver.received.map((request) => request.id)).size).toBe(1);
    expect(receiver.received).toHaveLength(2);
  });

  test('that works again gets at once what would have waited for its next attempt, but not twice', {
    tags: 'slow',
  }, async () => {
    const replies: Reply[] = [{ status: 500 }, 'hang'];
    const receiver = await startReceiver(() => replies.shift() ?? { status: 204 });
    const { id } = await create(receiver.site.url, ['library.created']);
    await happen();
    await send();
    await settled(id, 'pending');
    const [delivery] = await deliveries(id);
    const replay = () => app.call('POST', `/api/v1/webhooks/${id}/deliveries/${delivery.id}/replay`, { key });
    await vi.waitFor(async () => expect((await deliveries(id))[0].log).toHaveLength(1), 30_000);
    expect(await replay()).toMatchObject({ status: 202, body: { data: { status: 'pending' } } });
    await receiver.has(2);
    expect(await replay()).toMatchObject(failure(409, 'E_INVALID_STATE'));
  });

  test('that has done nothing but fail for five days is disabled; one success in between counts', async () => {
    const replies: Reply[] = [{ status: 500 }, { status: 200 }, { status: 500 }, { status: 500 }];
    const receiver = await startReceiver(() => replies.shift() ?? { status: 500 });
    const { id } = await create(receiver.site.url, ['library.created']);
    await send();
    const state = async () => (await app.call('GET', `/api/v1/webhooks/${id}`, { key })).body.data;
    const age = () => sql`update webhooks set failing_since = failing_since - interval '5 days 1 minute'`;
    await happen();
    await vi.waitFor(async () => expect((await state()).failing_since).not.toBeNull(), 30_000);
    await age();
    await happen();
    await vi.waitFor(async () => expect((await state()).failing_since).toBeNull(), 30_000);
    await happen();
    await vi.waitFor(async () => expect((await state()).failing_since).not.toBeNull(), 30_000);
    expect((await state()).is_enabled).toBe(true);
    await age();
    await happen();
    await vi.waitFor(async () => expect((await state()).is_enabled).toBe(false), 30_000);
    expect((await state()).disabled_reason).toContain('5 days');
    expect(await sql`select from outbox_event where event_type = 'webhook.disabled'`).toHaveLength(1);
    expect(await sql`select from webhook_deliveries where status = 'pending'`).toHaveLength(0);
  });

  test('can be tested', async () => {
    const receiver = await startReceiver();
    const { id } = await create(receiver.site.url, ['library.deleted']);
    await send();
    const { status, body } = await app.call('POST', `/api/v1/webhooks/${id}/test`, { key });
    expect([status, body.data.event_type, body.data.status]).toEqual([202, 'webhook.test', 'pending']);
    const [received] = await receiver.has(1);
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      data: { webhook_id: id },
    });
    await vi.waitFor(async () => {
      const delivery = await app.call('GET', `/api/v1/webhooks/${id}/deliveries/${body.data.id}`, { key });
      expect(delivery.body.data).toMatchObject({ status: 'delivered', log: [{ response_status: 204 }] });
    }, 30_000);
  });
});

test('the schedule is what the standard recommends, up to a tenth longer, and ends', () => {
  const hour = 3600;
  expect(Array.from({ length: 10 }, (_, n) => deliveryDelay(n + 1, 0, () => 0))).toEqual([
    5,
    300,
    1800,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
    undefined,
  ]);
  expect(deliveryDelay(2, 0, () => 1)).toBeCloseTo(330);
  expect(deliveryDelay(1, 3 * hour)).toBe(3 * hour);
});
