import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../../test/support/database.ts';
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
