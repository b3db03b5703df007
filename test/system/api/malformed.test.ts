import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { append, fork, insert } from '../../support/branches.ts';
import { useDatabase } from '../../support/database.ts';
import { createReader, type Reader } from '../../support/libraries.ts';
import { saveReady } from '../../support/saved-media.ts';

const database = useDatabase();
const app = useApp(database);
const key = DEV_KEYS.admin;

let reader: Reader;
let mediaId: string;
beforeAll(async () => {
  reader = await createReader(app);
  mediaId = await saveReady(database.sql, reader, { texts: ['Some text.'] });
});

const refused = failure(400, 'E_INVALID_REQUEST');
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Sends bytes unchanged and returns the whole answer. */
async function raw(bytes: string | Buffer): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('text that is not well-formed Unicode, or holds NUL, is 400', () => {
  test.each([
    ['a name of a library', 'POST', () => '/libraries', '{"name":"\\ud800"}', 'name'],
    ['a URL of a webhook', 'POST', () => '/api/v1/webhooks', '{"url":"https://example.org/\\ud800"}', 'url'],
    [
      'an event type of a webhook',
      'POST',
      () => '/api/v1/webhooks',
      '{"url":"https://example.org/","event_types":["\\udc00"]}',
      'event_types.0',
    ],
    [
      'an idempotency key',
      'POST',
      () => '/api/v1/jobs/submit',
      '{"job_type":"integrity_audit","idempotency_key":"a\\ud800b"}',
      'idempotency_key',
    ],
    [
      'a payload of a job',
      'POST',
      () => '/api/v1/jobs/submit',
      '{"job_type":"ingest_batch","payload":{"urls":["https://example.org/\\ud83d"]}}',
      'payload.urls.0',
    ],
    [
      'a place in a document',
      'PUT',
      () => `/media/${mediaId}/reading`,
      '{"progress":0.5,"position":{"a":[{"b":"\\udfff"}]}}',
      'position.a.0.b',
    ],
    [
      'a key',
      'PUT',
      () => `/media/${mediaId}/reading`,
      '{"progress":0.5,"position":{"\\ud800":1}}',
      'position',
    ],
    [
      'NUL in a key',
      'PUT',
      () => `/media/${mediaId}/reading`,
      '{"progress":0.5,"position":{"\\u0000":1}}',
      'position',
    ],
    ['NUL in a name', 'POST', () => '/libraries', '{"name":"a\\u0000b"}', 'name'],
  ])('%s', async (_case, method, path, body, field) => {
    const who = method === 'PUT' ? reader.key : key;
    const answer = await app.call(method, path(), { key: who, body });
    expect(answer).toMatchObject(refused);
    expect(answer.body.error.message).toBe(`${field} must be well-formed Unicode without the NUL character.`);
  });

  test.each([
    ['a path', () => `/media/${mediaId}/assets/%00`, 'name'],
    ['a path, encoded as a surrogate', () => `/media/${mediaId}/assets/%ED%A0%80`, ''],
    ['a query', () => '/media?q=a%00b', ''],
    ['the name of a query parameter', () => '/media?a%00b=1', ''],
    ['a query, encoded as a surrogate', () => '/api/v1/search?q=%ED%A0%80', ''],
    ['a query whose percent sign means nothing', () => '/api/v1/search?q=100%', ''],
    ['a query of broken bytes', () => '/api/v1/search?q=%ff', ''],
  ])('%s', async (_case, path, field) => {
    const answer = await app.call('GET', path(), { key: reader.key });
    expect(answer).toMatchObject(refused);
    if (field) expect(answer.body.error.message).toMatch(new RegExp(`^${field} must be well-formed`));
  });

  test('a body that is not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const response = await fetch(`${app.url}/libraries`, {
      method: 'POST',
      headers: { 'x-nexus-api-key': key, 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: { message: string } }).error.message).toContain('UTF-8');
  });

  test('characters outside the BMP are accepted', async () => {
    const answer = await app.call('POST', '/libraries', { key, body: { name: '𝔑𝔢𝔵𝔲𝔰 😀' } });
    expect(answer).toMatchObject({ status: 201, body: { data: { name: '𝔑𝔢𝔵𝔲𝔰 😀' } } });
  });
});

describe('the depth of JSON is bounded', () => {
  test.each([65, 2500, 100_000])('%d nested arrays are 400', async (depth) => {
    const body = `{"progress":0.5,"position":${nested(depth)}}`;
    const answer = await app.call('PUT', `/media/${mediaId}/reading`, { key: reader.key, body });
    expect(answer).toMatchObject(refused);
    expect(answer.body.error.message).toContain('64 levels');
  });

  test('nested objects count, too', async () => {
    const body = `{"job_type":"integrity_audit","payload":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}}`;
    expect(await app.call('POST', '/api/v1/jobs/submit', { key, body })).toMatchObject(refused);
  });

  test('63 nested arrays are taken', async () => {
    const body = `{"progress":0.5,"position":${nested(63)}}`;
    expect((await app.call('PUT', `/media/${mediaId}/reading`, { key: reader.key, body })).status).toBe(200);
  });
});

test('a branch with 130,000 new lines can be compared', async () => {
  const { id } = await fork(reader, { media_id: mediaId });
  expect((await append(reader, id, 0, [insert(0, '\n'.repeat(130_000))])).status).toBe(201);
  const answer = await reader.get(`/api/v1/branches/${id}/compare`);
  expect(answer.status).toBeLessThan(500);
});

describe('unknown query parameters are refused', () => {
  test('with the names that the route takes', async () => {
    const answer = await app.call('GET', '/media?libary_id=x', { key });
    expect(answer).toMatchObject(refused);
    expect(answer.body.error.message).toMatch(
      /^libary_id is not a query parameter of this route\. Allowed: .*library_id/,
    );
  });

  test('on every route', async () => {
    const described = app.routes.filter(({ url }) => !['/', '/app', '/app/*'].includes(url));
    for (const { method, url } of described) {
      if (method === 'HEAD') continue;
      const path = url.replaceAll(/:\w+/g, mediaId);
      const answer = await app.call(method, `${path}?surprise=1`, {
        key,
        ...(method !== 'GET' && { body: {} }),
      });
      expect({ method, url, ...answer }).toMatchObject(refused);
      expect(answer.body.error.message).toContain('surprise');
    }
  });

  test('also one without a name', async () => {
    const answer = await app.call('GET', '/readyz?=');
    expect(answer).toMatchObject(refused);
    expect(answer.body.error.message).toMatch(/^request is not a query parameter/);
  });

  test('except on pages of the web app, which accept any query', async () => {
    for (const path of ['/', '/app'])
      expect((await app.call('GET', `${path}?theme=dark`)).status, path).toBe(302);
  });
});

describe('a refusal says in plain words what the field takes', () => {
  test.each([
    ['GET', '/media?limit=many', undefined, 'limit must be a number.'],
    ['GET', '/media?limit=0', undefined, 'limit must be 1 or more.'],
    ['GET', '/media?limit=201', undefined, 'limit must be 200 or less.'],
    ['GET', '/media?limit=1&limit=2', undefined, 'limit must be a number.'],
    ['GET', '/media/7', undefined, 'id must be a UUID.'],
    ['GET', '/media?kind=poem', undefined, /^kind must be one of .*web_article.*\.$/],
    ['POST', '/api/v1/jobs/submit', {}, 'job_type is missing.'],
    ['POST', '/api/v1/jobs/submit', { job_type: 7 }, 'job_type must be text.'],
    [
      'POST',
      '/api/v1/jobs/submit',
      { job_type: 'x', run_at: 'soon' },
      'run_at must be a time such as 2026-01-31T12:00:00Z.',
    ],
    [
      'POST',
      '/api/v1/jobs/submit',
      { job_type: 'x', idempotency_key: 'x'.repeat(129) },
      'idempotency_key must have at most 128 characters.',
    ],
    ['POST', '/api/v1/jobs/submit', { job_type: 'x', surprise: 1 }, 'surprise is not a known field.'],
    ['POST', '/api/v1/jobs/submit', [], 'body must be a JSON object.'],
    ['POST', '/api/v1/jobs/submit', undefined, 'body must be a JSON object.'],
    ['POST', '/api/v1/jobs/cancel', { job_ids: [] }, 'job_ids must have at least 1 item.'],
    [
      'POST',
      '/api/v1/jobs/submit',
      { job_type: 'ingest_batch', payload: { urls: 7 } },
      'payload.urls must be a list.',
    ],
  ])('%s %s', async (method, path, body, message) => {
    const answer = await app.call(method, path, { key, body });
    expect(answer).toMatchObject(refused);
    expect(answer.body.error.message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  test.each([
    [
      '',
      { surprise: 1 },
      [
        { path: 'job_type', code: 'missing', message: 'is missing' },
        { path: 'surprise', code: 'unknown', message: 'is not a known field' },
      ],
    ],
    [
      '',
      { job_type: 'ingest_batch', payload: { urls: [7], folder: 'x' } },
      [
        { path: 'payload.urls.0', code: 'wrong_type', message: 'must be text' },
        { path: 'payload.folder', code: 'unknown', message: 'is not a known field' },
      ],
    ],
    [
      '',
      { job_type: 'x\0' },
      [
        {
          path: 'job_type',
          code: 'malformed_text',
          message: 'must be well-formed Unicode without the NUL character',
        },
      ],
    ],
    ['', [], [{ path: 'body', code: 'wrong_type', message: 'must be a JSON object' }]],
    [
      '?now=1',
      { job_type: 'x' },
      [{ path: 'now', code: 'unknown', message: 'is not a query parameter of this route. It has none.' }],
    ],
  ])('lists every field for programs: %s %j', async (query, body, fields) => {
    const answer = await app.call('POST', `/api/v1/jobs/submit${query}`, { key, body });
    expect(answer).toMatchObject(refused);
    expect(answer.body.error.details).toEqual({ fields });
  });

  test('repeats only a short part of the value', async () => {
    const body = { ['k'.repeat(50_000)]: 1, job_type: 'x' };
    const answer = await app.call('POST', '/api/v1/jobs/submit', { key, body });
    expect(answer).toMatchObject(refused);
    expect(answer.body.error.message.length).toBeLessThan(300);
  });
});

describe('other malformed requests', () => {
  test('__proto__ as a key is refused by its name', async () => {
    const body = '{"name":"a","__proto__":{"is_default":true}}';
    const answer = await app.call('POST', '/libraries', { key, body });
    expect(answer).toMatchObject(refused);
    expect(answer.body.error.message).toContain('__proto__');
  });

  test('an empty body with a JSON content type is no body', async () => {
    const headers = { 'content-type': 'application/json' };
    const created = await app.call('POST', '/libraries', { key, body: { name: 'Short-lived' } });
    const gone = await app.call('DELETE', `/libraries/${created.body.data.id}`, { key, headers });
    expect(gone.status).toBe(204);
    const token = await app.call('POST', '/api/v1/auth/token', { key, headers });
    expect(token.status).toBe(200);
  });

  test('an expectation that Nexus does not know', async () => {
    const answer = await raw('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"E_INVALID_REQUEST"');
    expect(answer).toMatch(/x-request-id: /);
  });

  test('a URL that is too long says so', async () => {
    const answer = await raw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('longer than');
  });

  test('a part of a path is as long as its route says', async () => {
    const asset = (length: number) =>
      app.call('GET', `/media/${mediaId}/assets/${'x'.repeat(length)}`, { key: reader.key });
    expect(await asset(200)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    for (const length of [201, 2000]) {
      const answer = await asset(length);
      expect(answer).toMatchObject(refused);
      expect(answer.body.error.message).toMatch(/at most 200 characters|too long/);
    }
  });
});
