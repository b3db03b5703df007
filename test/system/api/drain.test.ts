import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { DEV_KEYS, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const app = useApp(database);
const other = useApp(database);

test('while draining, open connections are answered once more, and new ones are refused', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const idle = await get('/healthz', agent);
  expect([idle.statusCode, idle.headers.connection]).toEqual([200, 'keep-alive']);
  const body = JSON.stringify({ username: 'slow-sender' });
  const slow = http.request(`${app.url}/api/v1/users`, {
    method: 'POST',
    headers: {
      'x-nexus-api-key': DEV_KEYS.admin,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  const answered = once(slow, 'response');
  slow.flushHeaders();
  // The server says "continue" once it has taken the request on.
  await once(slow, 'continue');
  slow.write(body.slice(0, 5));

  const drained = app.shell.drain.start(30_000);
  await vi.waitFor(() => expect(app.shell.server.server.listening).toBe(false));
  await expect(get('/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  const last = await get('/healthz', agent);
  expect([last.statusCode, last.headers.connection]).toEqual([200, 'close']);

  slow.end(body.slice(5));
  const [response] = await answered;
  expect([response.statusCode, response.headers.connection]).toEqual([201, 'close']);
  response.resume();
  await drained;
  expect(await database.sql`select from users where username = 'slow-sender'`).toHaveLength(1);
});

test('connections that were made before the drain, and not accepted yet, are answered', async () => {
  const { port, hostname } = new URL(other.url);
  const sockets = Array.from({ length: 20 }, () => net.connect(Number(port), hostname));
  const answers = sockets.map((socket) => {
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return text(socket);
  });
  // The sockets connect in this tick. The server is in the same process, so it has accepted none of them.
  await new Promise((resolve) => process.nextTick(resolve));
  await other.shell.drain.start(30_000);
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
});

async function get(path: string, agent?: http.Agent): Promise<http.IncomingMessage> {
  const [response] = await once(http.get(app.url + path, { ...(agent && { agent }) }), 'response');
  response.resume();
  await once(response, 'end');
  return response;
}
