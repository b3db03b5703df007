import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Answer, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const app = useApp(database, { NEXUS_BODY_LIMIT_BYTES: '4096' });
const key = DEV_KEYS.admin;

/** Writes HTTP to a socket, for requests that fetch does not send. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('errors', () => {
  test('an unknown route is 404', async () => {
    expect(await app.call('GET', '/nowhere')).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect(await app.call('DELETE', '/api/v1/nowhere', { key })).toMatchObject(failure(404, 'E_NOT_FOUND'));
  });

  test.each([
    ['malformed JSON', '{"username": '],
    ['no JSON at all', 'username=ana'],
    ['JSON null', 'null'],
    ['an empty body', ''],
    ['a body over the limit', JSON.stringify({ username: 'ana', display_name: 'x'.repeat(5000) })],
    ['a prototype in disguise', '{"username": "ana", "__proto__": {"role": "admin"}}'],
  ])('%s is 400 and changes nothing', async (_case, body) => {
    const [before] = await database.sql`select count(*) from users`;
    expect(await app.call('POST', '/api/v1/users', { key, body })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
    expect((await database.sql`select count(*) from users`)[0]).toEqual(before);
  });

  test('a content type that is not JSON is 400', async () => {
    const headers = { 'content-type': 'application/xml' };
    expect(await app.call('POST', '/api/v1/users', { key, body: '<user/>', headers })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });

  test('the message names the field and what it takes', async () => {
    const { body } = await app.call('POST', '/api/v1/users', {
      key,
      body: { username: 'a b', role: 'king' },
    });
    expect(body.error.message).toContain('username must have 1 to 128 letters');
    expect(body.error.message).toContain('role must be one of');
  });

  test.each([
    ['PUT', '/libraries', 'GET, HEAD, POST'],
    ['POST', '/libraries/7', 'DELETE, GET, HEAD, PATCH'],
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['PATCH', '/app/anything/below', 'GET, HEAD'],
  ])('%s %s is 405, with the methods that are allowed', async (method, path, allow) => {
    const answer = await app.call(method, path, { key });
    expect(answer).toMatchObject(failure(405, 'E_METHOD_NOT_ALLOWED'));
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test.each(['/librariesx', '/libraries/', '/libraries/7/more', '/%6cibraries'])(
    'PUT %s is 404: no route has this path',
    async (path) => {
      const answer = await app.call('PUT', path, { key });
      expect(answer).toMatchObject(failure(404, 'E_NOT_FOUND'));
      expect(answer.headers.get('allow')).toBeNull();
    },
  );

  test('a path that is not valid percent-encoding is 400', async () => {
    const answer = await raw('GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"E_INVALID_REQUEST"');
    for (const header of ['x-request-id: ', 'x-content-type-options: nosniff'])
      expect(answer).toContain(header);
  });

  test('bytes that are not HTTP get an error of the same shape', async () => {
    const answer = await raw('hello, is anybody there?\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({
      error: { code: 'E_INVALID_REQUEST' },
    });
  });

  test('connections that send no HTTP are closed, also when the other side keeps its half open', async () => {
    const { server } = app.shell.server;
    const accepted = once(server, 'connection');
    const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', allowHalfOpen: true });
    const [accepting] = await accepted;
    socket.resume().write('hello?\r\n\r\n');
    await once(accepting, 'close');
    socket.destroy();
  });

  test('an unexpected failure is 500, and its details stay in the log', async () => {
    await database.sql`alter table audit_logs rename to hidden_logs`;
    try {
      const answer = await app.call('GET', '/api/v1/audit', { key });
      expect(answer).toMatchObject(failure(500, 'E_INTERNAL'));
      expect(JSON.stringify(answer.body)).not.toContain('audit_logs');
    } finally {
      await database.sql`alter table hidden_logs rename to audit_logs`;
    }
  });
});

describe('X-Request-ID', () => {
  const withId = (id: string) => app.call('GET', '/nowhere', { headers: { 'x-request-id': id } });
  const carried = ({ headers, body }: Answer) => [headers.get('x-request-id'), body.error.request_id];

  test.each(['abc', 'A-b_c.9', 'x'.repeat(128)])('%s is taken and returned', async (id) => {
    expect(carried(await withId(id))).toEqual([id, id]);
  });

  test.each(['', 'two words', 'ü'.normalize('NFC'), 'a/b', 'x'.repeat(129), '<script>'])(
    '"%s" is replaced by a new one',
    async (id) => {
      const [inHeader, inBody] = carried(await withId(id));
      expect(inHeader).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}$/);
      expect(inBody).toBe(inHeader);
    },
  );

  test('is returned on success, too', async () => {
    expect((await app.call('GET', '/healthz')).headers.get('x-request-id')).toMatch(/-/);
  });
});

test('every answer carries security headers', async () => {
  for (const path of ['/healthz', '/docs', '/nowhere', '/api/v1/users']) {
    const { headers } = await app.call('GET', path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('x-powered-by')).toBeNull();
  }
});
