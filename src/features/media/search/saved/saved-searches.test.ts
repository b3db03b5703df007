import { beforeAll, expect, test } from 'vitest';
import { failure, useApp } from '../../../../../test/support/app.ts';
import { useDatabase } from '../../../../../test/support/database.ts';
import { createReader, type Reader } from '../../../../../test/support/libraries.ts';
import { saveReady } from '../../../../../test/support/saved-media.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const PATH = '/api/v1/saved-searches';

let ana: Reader;
let ben: Reader;
beforeAll(async () => {
  [ana, ben] = [await createReader(app), await createReader(app)];
});

test('a search is saved, counted, edited and deleted by its owner alone', async () => {
  await saveReady(sql, ana, { title: 'Tides', texts: ['The sea.'] });
  await saveReady(sql, ana, { title: 'Sand', texts: ['The sea.'], kind: 'pdf' });
  await saveReady(sql, ben, { title: 'More of the sea' });
  const created = await ana.post(PATH, { name: ' Seas ', query: 'sea kind:pdf' });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const { id } = created.body.data;
  expect(created.body.data).toMatchObject({ name: 'Seas', query: 'sea kind:pdf', count: 1, is_more: false });
  const one = `${PATH}/${id}`;
  expect(created.headers.get('location')).toBe(one);

  for (const refused of [await ben.get(one), await ben.patch(one, { name: 'x' }), await ben.delete(one)])
    expect(refused).toMatchObject(failure(404, 'E_NOT_FOUND'));
  expect((await ben.get(PATH)).body.data).toEqual([]);

  expect((await ana.patch(one, { query: 'sea' })).body.data).toMatchObject({ name: 'Seas', count: 2 });
  expect((await ana.get(PATH)).body.data).toMatchObject([{ id, count: null, is_more: false }]);
  expect((await ana.get(`${PATH}?counts=true`)).body.data).toMatchObject([{ id, count: 2 }]);
  expect((await ana.delete(one)).status).toBe(204);
  expect(await ana.get(one)).toMatchObject(failure(404, 'E_NOT_FOUND'));
});

test('a query with a mistake is not saved', async () => {
  const refused = await ana.post(PATH, { name: 'Bad', query: 'sea foo:bar' });
  expect(refused).toMatchObject(failure(400, 'E_INVALID_QUERY'));
  expect(refused.body.error.details).toEqual({ position: 4 });
  const { body } = await ana.post(PATH, { name: 'Good', query: 'sea' });
  expect(await ana.patch(`${PATH}/${body.data.id}`, { query: '(' })).toMatchObject(
    failure(400, 'E_INVALID_QUERY'),
  );
  for (const given of [
    { name: '', query: 'a' },
    { name: 'a\nb', query: 'a' },
    { name: 'a', query: ' ' },
    { name: 'a' },
  ])
    expect(await ana.post(PATH, given)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
});

test('a change of an old state is refused, and a repeated request saves once', async () => {
  const { key } = ben;
  const body = { name: 'Once', query: 'sea' };
  const headers = { 'idempotency-key': 'once' };
  const [first, second] = [
    await app.call('POST', PATH, { key, body, headers }),
    await app.call('POST', PATH, { key, body, headers }),
  ];
  expect(second.body.data.id).toBe(first.body.data.id);
  expect((await ben.get(PATH)).body.data).toHaveLength(1);
  const one = `${PATH}/${first.body.data.id}`;
  const tag = (await ben.get(one)).headers.get('etag') ?? '';
  const edit = (name: string) =>
    app.call('PATCH', one, { key, body: { name }, headers: { 'if-match': tag } });
  expect((await edit('Twice')).status).toBe(200);
  expect(await edit('Thrice')).toMatchObject(failure(412, 'E_PRECONDITION_FAILED'));
});

test('a person has at most 200, also when they save several at once', async () => {
  const reader = await createReader(app);
  await sql`
    insert into saved_searches (id, user_id, name, query)
    select gen_random_uuid(), ${reader.id}, 'n', 'sea' from generate_series(1, 199)`;
  const save = () => reader.post(PATH, { name: 'n', query: 'sea' });
  const statuses = (await Promise.all([save(), save(), save()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 409, 409]);
});
