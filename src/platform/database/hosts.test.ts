import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTestDatabase, useDatabase } from '../../../test/support/database.ts';
import { startForwarder } from '../../../test/support/forwarder.ts';
import { type ReplicatedServer, startReplicatedServer } from '../../../test/support/replicated-server.ts';
import type { Database } from './database.ts';
import { splitHosts } from './hosts.ts';
import { transaction } from './transaction.ts';

test.each([
  ['postgres://a:1/db', ['postgres://a:1/db']],
  ['postgres://u:p@a:1,b:2/db?x=y', ['postgres://u:p@a:1/db?x=y', 'postgres://u:p@b:2/db?x=y']],
  ['postgres://u@a,[::1]:5,c/db', ['postgres://u@a/db', 'postgres://u@[::1]:5/db', 'postgres://u@c/db']],
  ['postgres://u:p@/db?host=/tmp/a,b', ['postgres://u:p@/db?host=/tmp/a,b']],
])('%s has the hosts of %j', (url, hosts) => {
  expect(splitHosts(url)).toEqual(hosts);
});

const { target } = useDatabase();

test('connections through two ways to one primary stay open', { tags: 'slow' }, async () => {
  const { host, port, username, password, database } = target;
  const ways = await Promise.all([1, 2].map(() => startForwarder(`${host}/.s.PGSQL.${port}`)));
  const hosts = ways.map((way) => `127.0.0.1:${way.port}`).join();
  const through = openTestDatabase({ url: `postgres://${username}:${password}@${hosts}/${database}` }, 1);
  const backend = async () => (await through`select pg_backend_pid() as pid`)[0]?.pid;
  const first = await backend();
  // Each look for the primary asks both ways: the first time, and three times later.
  await ways[1]?.connected(4);
  expect(await backend()).toBe(first);

  await ways[0]?.close();
  await vi.waitFor(backend, { timeout: 30_000, interval: 100 });
  await through.end();
  await ways[1]?.close();
});

let server: ReplicatedServer;
let sql: Database;
beforeAll(async () => {
  server = await startReplicatedServer();
  sql = openTestDatabase(server.target);
});
afterAll(async () => {
  await sql.end();
  await server.stop();
});

test('connections leave a primary that is frozen, and do not return to it when it wakes up', {
  tags: 'slow',
}, async () => {
  const port = async () => (await sql`select current_setting('port') as port`)[0]?.port;
  const first = await port();
  await server.freezePrimary();
  const stuck = sql`select`.then(
    () => 'answered',
    () => 'lost',
  );
  await server.promoteStandby();
  expect(await stuck).toBe('lost');
  const second = await vi.waitFor(port, { timeout: 30_000, interval: 100 });
  expect(second).not.toBe(first);
  await transaction(sql, async (tx) => void (await tx`create table written ()`));

  server.thawPrimary();
  // More connections than the pool has, and new ones each time.
  for (let round = 0; round < 3; round++) {
    const again = openTestDatabase(server.target);
    const [row] = await again`
      select current_setting('port') as port, to_regclass('written') is not null as is_there`;
    expect(row).toEqual({ port: second, is_there: true });
    await again.end();
  }
});
