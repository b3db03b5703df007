import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Answer, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { INTERNAL_SECRET, withRoutes } from '../../support/bare-server.ts';
import { useDatabase } from '../../support/database.ts';
import { createReader, type Reader, saveMedia } from '../../support/libraries.ts';

const database = useDatabase();
const app = useApp(database, { NEXUS_INTERNAL_SECRET: INTERNAL_SECRET });
const API = '/api/v1';

/** An answer without what differs between two requests: their ids, their times, and the path in a message. */
function comparable({ status, headers, body }: Answer) {
  const { error } = body;
  return {
    status,
    headers: Object.fromEntries(
      ['allow', 'content-type', 'www-authenticate'].map((name) => [name, headers.get(name)]),
    ),
    body: error ? { ...error, request_id: '', message: error.message.replaceAll(API, '') } : body,
  };
}

describe('a path of the API and its alias give the same answer', () => {
  test.each<[string, (reader: Reader) => string, number]>([
    ['GET', () => '/libraries', 200],
    ['GET', (reader) => `/libraries/${reader.defaultLibraryId}`, 200],
    ['GET', (reader) => `/libraries/${reader.defaultLibraryId}/media?limit=1`, 200],
    ['GET', () => '/media', 200],
    ['GET', () => '/media?limit=0', 400],
    ['GET', () => '/libraries/invites', 200],
    ['GET', () => `/media/${newId()}`, 404],
    ['GET', () => '/libraries/7/more', 404],
    ['GET', () => '/media/', 400],
    ['POST', () => '/libraries', 400],
    ['POST', () => '/media/url', 400],
    ['DELETE', () => `/libraries/${newId()}`, 404],
    ['PUT', () => '/libraries', 405],
    ['DELETE', () => '/media', 405],
    ['POST', () => '/libraries/7', 405],
  ])('to %s', async (method, pathOf, status) => {
    const reader = await createReader(app);
    await saveMedia(database.sql, reader);
    const alias = pathOf(reader);
    const ask = (path: string, key?: string) =>
      app.call(method, path, { key, ...(method === 'POST' && { body: {} }) });
    const answer = await ask(API + alias, reader.key);
    expect(answer.status).toBe(status);
    expect(comparable(await ask(alias, reader.key))).toEqual(comparable(answer));
    // Also to callers who have not signed in.
    expect(comparable(await ask(alias))).toEqual(comparable(await ask(API + alias)));
  });

  test('to POST and DELETE that change something', async () => {
    const reader = await createReader(app);
    for (const [created, deleted] of [
      [API, ''],
      ['', API],
    ]) {
      const { status, headers, body } = await reader.post(`${created}/libraries`, { name: 'Short-lived' });
      expect(status).toBe(201);
      expect(headers.get('location')).toBe(`${API}/libraries/${body.data.id}`);
      expect((await reader.get(`${deleted}/libraries/${body.data.id}`)).body).toEqual(body);
      expect((await reader.delete(`${deleted}/libraries/${body.data.id}`)).status).toBe(204);
      expect(await reader.get(`${created}/libraries/${body.data.id}`)).toMatchObject(
        failure(404, 'E_LIBRARY_NOT_FOUND'),
      );
    }
  });

  test('to GET /openapi.json', async () => {
    const answer = await app.call('GET', `${API}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(comparable(await app.call('GET', '/openapi.json'))).toEqual(comparable(answer));
  });

  test.each([undefined, 'wrong', INTERNAL_SECRET])('under /internal, with the secret %s', async (secret) => {
    const headers: Record<string, string> = secret === undefined ? {} : { 'x-nexus-internal': secret };
    for (const [method, path] of [
      ['GET', '/internal/libraries/backfill-jobs/health'],
      ['POST', '/internal/libraries/backfill-jobs/requeue'],
      ['DELETE', '/internal/libraries/backfill-jobs/health'],
      ['GET', '/internal/unknown'],
    ] as const) {
      const ask = (asked: string) =>
        app.call(method, asked, { headers, key: DEV_KEYS.admin, ...(method === 'POST' && { body: {} }) });
      const answer = await ask(API + path);
      if (secret === INTERNAL_SECRET) expect(answer.status).not.toBe(403);
      else expect(answer).toMatchObject(failure(403, 'E_INTERNAL_ONLY'));
      expect(comparable(await ask(path))).toEqual(comparable(answer));
    }
  });
});

test('no other path has an alias', async () => {
  const key = DEV_KEYS.admin;
  for (const path of ['/me', '/search?q=a', '/trash', '/users', '/people?prefix=ab', '/jobs', '/mediax'])
    expect(await app.call('GET', path, { key }), path).toMatchObject(failure(404, 'E_NOT_FOUND'));
});

test('a message and the log have the path as it was asked for; the route is that of the API', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  await withRoutes(
    { app, database, log },
    (api) =>
      void api.get('/media/thing', { config: { access: 'public' } }, (request) => request.routeOptions),
    async ({ origin }) => {
      const ask = async (path: string) =>
        (await (await fetch(origin + path)).json()) as { url: string; error: { message: string } };
      expect((await ask('/media/thing')).url).toBe('/api/v1/media/thing');
      for (const path of ['/media/nothing', '/api/v1/media/nothing'])
        expect((await ask(path)).error.message).toBe(`The route GET ${path} does not exist.`);
      await ask('/api/v1/media/thing');
    },
  );
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  expect(logged.map(({ method, path, status }) => [method, path, status])).toEqual([
    ['GET', '/media/thing', 200],
    ['GET', '/media/nothing', 404],
    ['GET', '/api/v1/media/nothing', 404],
    ['GET', '/api/v1/media/thing', 200],
  ]);
});
