import { expect, test } from 'vitest';
import { takesIdempotencyKey } from '../../../src/http/openapi/headers.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createPerson, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { createLibrary, createReader, join, type Reader } from '../../support/libraries.ts';
import { saveReady } from '../../support/saved-media.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

/** Sends a POST with an `Idempotency-Key`. */
const post = (key: string, path: string, name: string, body?: unknown) =>
  app.call('POST', `/api/v1${path}`, { key, body, headers: { 'idempotency-key': name } });

test('every POST of a person says how it is repeated', () => {
  const undeclared = app.routes
    .filter((route) => takesIdempotencyKey(route) && !route.config.repeat)
    .map(({ url }) => url);
  expect(undeclared).toEqual([]);
});

test('a repeat has the present state, and is 404 when the object is gone', async () => {
  const { key } = await createPerson(app);
  const create = () => post(key, '/libraries', 'present', { name: 'Before' });
  const { body } = await create();
  const path = `/api/v1/libraries/${body.data.id}`;
  await app.call('PATCH', path, { key, body: { name: 'After' } });
  expect(await create()).toMatchObject({ status: 201, body: { data: { id: body.data.id, name: 'After' } } });
  await app.call('DELETE', path, { key });
  expect(await create()).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
});

test('who was removed from a library reads nothing of it in a repeat', async () => {
  const [owner, member] = [await createReader(app), await createReader(app)];
  const library = await createLibrary(owner);
  await join(owner, library, member, 'admin');
  const media_id = await saveReady(sql, owner, { texts: ['The lamp on the desk.'] });
  await owner.post(`/api/v1/libraries/${library}/media`, { media_id });
  const target = { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact: 'lamp' }] };
  const highlight = () => post(member.key, `/media/${media_id}/highlights`, 'highlight', { target });
  const add = () => post(member.key, `/libraries/${library}/media`, 'add', { media_id });
  expect([(await highlight()).status, (await highlight()).status]).toEqual([201, 201]);
  expect([(await add()).status, (await add()).status]).toEqual([200, 200]);
  await owner.delete(`/api/v1/libraries/${library}/members/${member.user.id}`);
  expect(await highlight()).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  expect(await add()).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
});

test('a secret is repeated only to the credential that got it', async () => {
  const { key, user } = await createPerson(app);
  const own = await app.call('POST', '/api/v1/me/api-keys', {
    key,
    body: { name: 'Other', scopes: ['read', 'write'] },
  });
  const create = (credential: string) =>
    post(credential, '/me/api-keys', 'secret', { name: 'Phone', scopes: ['read'] });
  expect((await create(key)).status).toBe(201);
  expect(await create(own.body.data.key)).toMatchObject(failure(403, 'E_FORBIDDEN'));
  expect((await create(key)).headers.get('idempotency-replayed')).toBe('true');
  await app.call('PATCH', `/api/v1/users/${user.id}`, { key: DEV_KEYS.admin, body: { role: 'viewer' } });
  expect(await create(key)).toMatchObject(failure(403, 'E_FORBIDDEN'));
});

/** Saves a media and removes it again. Returns its id. */
async function trashed(reader: Reader): Promise<string> {
  const id = await saveReady(sql, reader, { texts: ['A text.'] });
  expect((await reader.delete(`/api/v1/media/${id}`)).status).toBe(204);
  return id;
}

test('restoring from the trash happens once, also when the item was removed again since', async () => {
  const reader = await createReader(app);
  const id = await trashed(reader);
  const restore = () => post(reader.key, `/trash/${id}/restore`, 'restore');
  expect((await restore()).status).toBe(204);
  expect((await restore()).status).toBe(204);
  expect((await reader.delete(`/api/v1/media/${id}`)).status).toBe(204);
  const repeated = await restore();
  expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([204, 'true']);
  expect(await reader.get(`/api/v1/media/${id}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
});

test('disabling a key and requeueing a backfill happen once', async () => {
  const admin = DEV_KEYS.admin;
  const { apiKey, user } = await createPerson(app);
  const disable = () => post(admin, `/api-keys/${apiKey.id}/disable`, 'disable');
  expect([(await disable()).status, (await disable()).status]).toEqual([200, 200]);
  const disabled = await sql`
    select from audit_logs where action = 'api_key.disabled' and details->>'api_key_id' = ${apiKey.id}`;
  expect(disabled).toHaveLength(1);

  const [owner, member] = [await createReader(app), await createReader(app)];
  const source_library_id = await createLibrary(owner);
  await join(owner, source_library_id, member);
  const backfill = {
    default_library_id: member.defaultLibraryId,
    source_library_id,
    user_id: member.id,
  };
  const requeue = () => post(admin, '/backfill-jobs/requeue', 'requeue', backfill);
  const first = await requeue();
  expect(await requeue()).toMatchObject({ status: 200, body: first.body });
  const requeued = await sql`select from audit_logs where action = 'backfill.requeued'`;
  expect(requeued).toHaveLength(1);
  expect(user.id).not.toBe(member.id);
});

test('a refused upload is refused again at once', async () => {
  const reader = await createReader(app);
  const file = Buffer.from('<html>not a PDF</html>');
  const { body } = await reader.post('/api/v1/media/upload/init', {
    kind: 'pdf',
    filename: 'file.pdf',
    content_type: 'application/pdf',
    size_bytes: file.length,
  });
  const { media_id, upload_url, upload_headers } = body.data;
  await fetch(new URL(upload_url, app.url), { method: 'PUT', headers: upload_headers, body: file });
  const finish = () => post(reader.key, `/media/${media_id}/ingest`, 'finish');
  const refused = failure(400, 'E_INVALID_FILE_TYPE');
  expect(await finish()).toMatchObject(refused);
  const repeated = await finish();
  expect(repeated).toMatchObject(refused);
  expect(repeated.headers.get('idempotency-replayed')).toBe('true');
});

test('a delivery is not repeated after its webhook is deleted', async () => {
  const admin = DEV_KEYS.admin;
  const { body } = await app.call('POST', '/api/v1/webhooks', {
    key: admin,
    body: { url: 'https://example.org/' },
  });
  const send = () => post(admin, `/webhooks/${body.data.id}/test`, 'test');
  expect([(await send()).status, (await send()).status]).toEqual([202, 202]);
  await app.call('DELETE', `/api/v1/webhooks/${body.data.id}`, { key: admin });
  expect(await send()).toMatchObject(failure(404, 'E_NOT_FOUND'));
});

test('a bulk action that failed in the middle is completed by its repeat', async () => {
  const ids = Array.from({ length: 501 }, () => newId());
  await sql`
    insert into jobs (id, job_type, queue)
    select id, 'integrity_audit', 'bulk' from unnest(${ids}::uuid[]) as given (id)`;
  await sql`
    insert into job_queue (job_id, queue, priority, due_at)
    select id, queue, 5, now() from jobs where queue = 'bulk'`;
  const client = await sql.connect();
  await client.query(`
    create function refuse_last() returns trigger language plpgsql as $$
      begin raise exception 'not this one'; end $$;
    create trigger refuse_last before update on jobs
      for each row when (new.id = '${ids[500]}') execute function refuse_last();`);
  const cancel = () => post(DEV_KEYS.operator, '/jobs/cancel', 'bulk', { job_ids: ids });
  expect(await cancel()).toMatchObject(failure(500, 'E_INTERNAL'));
  const [left] = await sql<[{ count: number }]>`select count(*) from job_queue where queue = 'bulk'`;
  expect(left.count).toBe(1);
  await client.query('drop trigger refuse_last on jobs; drop function refuse_last');
  client.release();
  const completed = { status: 200, body: { data: { changed: 1, unchanged: 500, not_found: 0 } } };
  expect(await cancel()).toMatchObject(completed);
  expect(await cancel()).toMatchObject(completed);
});
