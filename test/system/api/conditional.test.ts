import { describe, expect, test } from 'vitest';
import { saveDocument } from '../../support/analysis-documents.ts';
import { type Answer, createPerson, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { createReader, type Reader } from '../../support/libraries.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? '';

describe('If-None-Match', () => {
  async function prepared(): Promise<{ reader: Reader; paths: string[] }> {
    const reader = await createReader(app);
    const media = await saveDocument(sql, reader, 'One fragment', 'Another fragment');
    const paths = ['/media', `/media/${media}`, `/media/${media}/fragments`, `/media/${media}/fragments/1`];
    return {
      reader,
      paths: [...paths, '/libraries', '/search?q=document', '/me'].map((path) => `/api/v1${path}`),
    };
  }

  test('answers 304 without a body while nothing has changed', async () => {
    const { reader, paths } = await prepared();
    for (const path of paths) {
      const first = await reader.get(path);
      expect(first.status, path).toBe(200);
      const headers = { 'if-none-match': tagOf(first) };
      const second = await app.call('GET', path, { key: reader.key, headers });
      expect([second.status, second.body], path).toEqual([304, '']);
      expect(tagOf(second), path).toBe(tagOf(first));
      expect(second.headers.get('cache-control'), path).toBe('private, no-cache');
      const other = await app.call('GET', path, {
        key: reader.key,
        headers: { 'if-none-match': `W/"other", ${tagOf(first)}` },
      });
      expect(other.status, path).toBe(304);
    }
  });

  test('answers 200 with a new ETag after a change', async () => {
    const { reader, paths } = await prepared();
    const [list = ''] = paths;
    const before = await reader.get(list);
    await saveDocument(sql, reader, 'New');
    const after = await app.call('GET', list, {
      key: reader.key,
      headers: { 'if-none-match': tagOf(before) },
    });
    expect(after.status).toBe(200);
    expect(after.body.page.total).toBe(before.body.page.total + 1);
    expect(tagOf(after)).not.toBe(tagOf(before));
  });

  test('answers 200 after a chapter was corrected in place', async () => {
    const { reader, paths } = await prepared();
    const [, media = '', , chapter = ''] = paths;
    const headers = { 'if-none-match': tagOf(await reader.get(chapter)) };
    await sql`
      update media_fragments set html_sanitized = '<p>Corrected</p>'
      where media_id = ${media.split('/').at(-1)} and idx = 1`;
    const after = await app.call('GET', chapter, { key: reader.key, headers });
    expect([after.status, after.body.data.html_sanitized]).toEqual([200, '<p>Corrected</p>']);
  });

  test('does not tell a person who lost access that nothing has changed', async () => {
    const { reader, paths } = await prepared();
    const [, media = ''] = paths;
    const first = await reader.get(media);
    await reader.delete(`${media}?permanently=true`);
    const headers = { 'if-none-match': tagOf(first) };
    expect(await app.call('GET', media, { key: reader.key, headers })).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
  });

  test('HEAD has the headers of GET, and no body', async () => {
    const { reader, paths } = await prepared();
    for (const path of paths) {
      const [get, head] = [await reader.get(path), await app.call('HEAD', path, { key: reader.key })];
      expect([head.status, head.body, tagOf(head)], path).toEqual([200, '', tagOf(get)]);
    }
  });
});

describe('If-Match', () => {
  const admin = { key: DEV_KEYS.admin };
  const cases: [string, () => Promise<string>, object, object][] = [
    [
      'a library',
      async () => {
        const { body } = await app.call('POST', '/api/v1/libraries', { ...admin, body: { name: 'Before' } });
        return `/api/v1/libraries/${body.data.id}`;
      },
      { name: 'First' },
      { name: 'Second' },
    ],
    [
      'a user',
      async () => `/api/v1/users/${(await createPerson(app)).user.id}`,
      { display_name: 'First' },
      { display_name: 'Second' },
    ],
    [
      'a webhook',
      async () => {
        const body = { url: 'https://hooks.example.org/', event_types: ['media.ready'] };
        const created = await app.call('POST', '/api/v1/webhooks', { ...admin, body });
        return `/api/v1/webhooks/${created.body.data.id}`;
      },
      { event_types: ['media.failed'] },
      { is_enabled: false },
    ],
    [
      'a policy',
      async () => {
        const body = { name: 'If-Match', terms: ['secret'] };
        const created = await app.call('POST', '/api/v1/governance/policies', { ...admin, body });
        return `/api/v1/governance/policies/${created.body.data.id}`;
      },
      { terms: ['first'] },
      { terms: ['second'] },
    ],
  ];

  test.each(cases)('keeps %s from losing a change', async (_what, create, first, second) => {
    const path = await create();
    const tag = tagOf(await app.call('GET', path, admin));
    const change = (body: object, ifMatch: string) =>
      app.call('PATCH', path, { ...admin, body, headers: { 'if-match': ifMatch } });
    const changed = await change(first, tag);
    expect(changed.status).toBe(200);
    expect(tagOf(changed)).toBe(tagOf(await app.call('GET', path, admin)));
    expect(await change(second, tag)).toMatchObject(failure(412, 'E_PRECONDITION_FAILED'));
    expect((await app.call('GET', path, admin)).body.data).toMatchObject(first);
    expect((await change(second, tagOf(changed))).status).toBe(200);
    expect((await change(first, '*')).status).toBe(200);
    expect(await change(second, '"nonsense"')).toMatchObject(failure(412, 'E_PRECONDITION_FAILED'));
  });

  test('of two changes at once that are based on the same state, one is made', async () => {
    const { body } = await app.call('POST', '/api/v1/libraries', { ...admin, body: { name: 'Race' } });
    const path = `/api/v1/libraries/${body.data.id}`;
    const tag = tagOf(await app.call('GET', path, admin));
    const answers = await Promise.all(
      ['One', 'Two', 'Three'].map((name) =>
        app.call('PATCH', path, { ...admin, body: { name }, headers: { 'if-match': tag } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  });

  test('does not mind a counter that has changed', async () => {
    const reader = await createReader(app);
    const { body } = await reader.post('/api/v1/libraries', { name: 'Counted' });
    const path = `/api/v1/libraries/${body.data.id}`;
    const tag = tagOf(await reader.get(path));
    await reader.post(`${path}/media`, { media_id: await saveDocument(sql, reader, 'Text') });
    expect(tagOf(await reader.get(path))).not.toBe(tag);
    const headers = { 'if-match': tag };
    const renamed = await app.call('PATCH', path, { key: reader.key, body: { name: 'Fine' }, headers });
    expect(renamed.status).toBe(200);
  });
});

describe('RateLimit headers', () => {
  test('come with every answer to an authenticated caller, whatever its status', async () => {
    const { key } = await createPerson(app);
    const answers: Answer[] = [];
    for (const path of ['/api/v1/me', '/api/v1/media', '/api/v1/nowhere', '/api/v1/users'])
      answers.push(await app.call('GET', path, { key }));
    const read = (name: string) => answers.map(({ headers }) => headers.get(name));
    const [limit, , unknown] = read('ratelimit-limit');
    expect(Number(limit)).toBeGreaterThan(100);
    // An unknown route is not authenticated.
    expect(unknown).toBeNull();
    for (const remaining of [read('ratelimit-remaining')[0], read('ratelimit-remaining')[3]]) {
      expect(Number(remaining)).toBeGreaterThan(0);
      expect(Number(remaining)).toBeLessThanOrEqual(Number(limit));
    }
    expect(Number(read('ratelimit-reset')[0])).toBeGreaterThanOrEqual(1);
  });
});
