import { once } from 'node:events';
import http from 'node:http';
import { expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const app = useApp(database);

test('while draining, a request under way is answered and a new one gets 503', async () => {
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
  const refused = await app.call('GET', '/healthz');
  expect(refused).toMatchObject(failure(503, 'E_UNAVAILABLE'));
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('connection')).toBe('close');

  slow.end(body.slice(5));
  const [response] = await answered;
  expect(response.statusCode).toBe(201);
  response.resume();
  await drained;
  expect(await database.sql`select from users where username = 'slow-sender'`).toHaveLength(1);
});
