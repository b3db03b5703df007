import { expect, test } from 'vitest';
import { ProcessStopped } from '../../../src/platform/processes/stopped.ts';
import { call, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { withRoutes } from '../../support/bare-server.ts';
import { openTestDatabase, useDatabase } from '../../support/database.ts';

const database = useDatabase();
const app = useApp(database);

test('/healthz answers', async () => {
  expect(await app.call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
});

test('/readyz answers when the schema is current, and 503 when it is not', async () => {
  expect(await app.call('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
  await database.sql`create table undone as select * from schema_migrations order by version desc limit 1`;
  await database.sql`delete from schema_migrations where version in (select version from undone)`;
  expect(await app.call('GET', '/readyz')).toMatchObject(failure(503, 'E_UNAVAILABLE'));
  await database.sql`insert into schema_migrations select * from undone`;
  expect((await app.call('GET', '/readyz')).status).toBe(200);
});

test('without a database, /healthz answers, /readyz and everything else is 503', async () => {
  const sql = openTestDatabase({ ...database.target, host: '/nowhere' });
  const { server } = await app.another({ sql }).httpServer({ migrations: [] });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    expect((await call(url, 'GET', '/healthz')).status).toBe(200);
    expect(await call(url, 'GET', '/readyz')).toMatchObject(failure(503, 'E_UNAVAILABLE'));
    const answer = await call(url, 'GET', '/api/v1/me', { key: DEV_KEYS.viewer });
    expect(answer).toMatchObject(failure(503, 'E_UNAVAILABLE'));
    expect(answer.headers.get('retry-after')).toBe('1');
  } finally {
    await server.close();
    await sql.end();
  }
});

test('without a child process for it, a request is 503', async () => {
  const answer = await withRoutes(
    { app, database },
    (api) =>
      void api.get('/task', { config: { access: 'public' } }, () => {
        throw new ProcessStopped('start', 'The process could not be started.');
      }),
    ({ origin }) => call(origin, 'GET', '/api/v1/task'),
  );
  expect(answer).toMatchObject(failure(503, 'E_UNAVAILABLE'));
});

test('/metrics counts answers by status and times them', async () => {
  const { body: before } = await app.call('GET', '/metrics');
  await app.call('GET', '/nowhere');
  await app.call('GET', '/healthz');
  const { body: after } = await app.call('GET', '/metrics');
  const grown = (key: string) => after.counters[key] - (before.counters[key] ?? 0);
  expect(grown('http.status.404')).toBe(1);
  // The request for the first snapshot is counted once it is answered.
  expect(grown('http.status.200')).toBe(2);
  const timing = after.timings['http.request.ms'];
  expect(Object.keys(timing).sort()).toEqual(['avg_ms', 'count', 'p95_ms']);
  expect(timing.count - before.timings['http.request.ms'].count).toBe(3);
});
