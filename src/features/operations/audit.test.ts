import { beforeAll, expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createLibrary, createReader, readerOf } from '../../../test/support/libraries.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { recordAudit } from '../../platform/audit/audit.ts';

const database = useDatabase();
const app = useApp(database);
const read = (query: string) => app.call('GET', `/api/v1/audit?${query}`, { key: DEV_KEYS.admin });

beforeAll(async () => {
  await database.sql`truncate audit_logs`;
  for (let index = 0; index < 6; index++) {
    await recordAudit(database.sql, {
      action: index % 2 ? 'odd' : 'even',
      actor: { name: index < 3 ? 'ana' : 'ben', requestId: `request-${index}` },
      details: { index },
    });
  }
  await database.sql`
    update audit_logs
    set created_at = '2026-01-01T00:00:00Z'::timestamptz + (details->>'index')::int * interval '1 microsecond'
    where (details->>'index')::int < 2`;
});

const indexes = ({ body }: { body: { data: { details: { index: number } }[] } }) =>
  body.data.map(({ details }) => details.index);

test.each([
  ['', [5, 4, 3, 2, 1, 0]],
  ['action=odd', [5, 3, 1]],
  ['actor=ana', [2, 1, 0]],
  ['actor=ana&action=even', [2, 0]],
  ['created_before=2026-02-01T00:00:00Z', [1, 0]],
  ['created_after=2026-02-01T00:00:00Z', [5, 4, 3, 2]],
  ['created_after=2025-12-31T23:00:00%2B00:00&created_before=2026-01-01T00:00:00Z', []],
  ['action=never', []],
])('the filter "%s" shows %j', async (query, expected) => {
  expect(indexes(await read(query))).toEqual(expected);
});

test('pages have no gaps and no duplicates', async () => {
  const first = await read('limit=5');
  expect(first.body.page.has_more).toBe(true);
  const second = await read(`limit=5&cursor=${first.body.page.next_cursor}`);
  expect([...indexes(first), ...indexes(second)]).toEqual([5, 4, 3, 2, 1, 0]);
  expect(second.body.page).toEqual({ has_more: false, next_cursor: null });
});

test('an entry has its action, actor and request id', async () => {
  const { body } = await read('action=odd&limit=1');
  expect(body.data[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    action: 'odd',
    mode: 'PUBLIC',
    actor: 'ben',
    details: { index: 5, request_id: 'request-5' },
    names: {},
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

test.each(['created_after=yesterday', 'limit=0', 'limit=201', 'cursor=x', 'action=', 'action=a%00b'])(
  '"%s" is 400',
  async (query) => {
    expect(await read(query)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  },
);

test('an entry has the names of what it refers to, as far as the admin may see them', async () => {
  const { sql } = database;
  const admin = readerOf(app, await createPerson(app, { role: 'admin' }));
  const reader = await createReader(app);
  const [own, others] = [
    await saveReady(sql, admin, { title: 'My essay' }),
    await saveReady(sql, reader, { title: 'A private matter' }),
  ];
  const [ownLibrary, otherLibrary] = [
    await createLibrary(admin, 'Ours'),
    await createLibrary(reader, 'Secret'),
  ];
  const [key] = await sql<{ id: string; prefix: string }[]>`
    select id, prefix from api_keys where user_id = ${reader.id}`;
  const signedIn = await fetch(`${app.url}/app/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ api_key: reader.key }),
  });
  expect(signedIn.ok).toBe(true);
  const [session] = await sql<{ id: string }[]>`select id from sessions where user_id = ${reader.id}`;
  const details = {
    user_id: reader.id,
    api_key_id: key?.id ?? '',
    session_id: session?.id ?? '',
    media_id: own,
    other_media_id: others,
    library_id: ownLibrary,
    source_library_id: otherLibrary,
    note: 'not an id',
  };
  await recordAudit(sql, { action: 'named', actor: { name: 'ana' }, details });
  const { body } = await admin.get('/api/v1/audit?action=named');
  expect(body.data[0].names).toEqual({
    [reader.id]: reader.user.username,
    [details.api_key_id]: expect.stringContaining(key?.prefix ?? '?'),
    [details.session_id]: `browser session of ${reader.user.username}`,
    [own]: 'My essay',
    [ownLibrary]: 'Ours',
  });
});
