import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { lockSchema } from '../../../src/platform/database/migrator.ts';
import { transaction } from '../../../src/platform/database/transaction.ts';
import { DEV_KEYS } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { startNexus } from '../../support/nexus-process.ts';
import { holdBeforeCommit, statementBlocked } from '../../support/races.ts';

const database = useDatabase();
const env = { NEXUS_DATABASE_URL: database.url, NEXUS_SHUTDOWN_GRACE_SECONDS: '1' };
const HEADERS = `Host: localhost\r\nX-Nexus-API-Key: ${DEV_KEYS.admin}\r\nContent-Type: application/json\r\n`;

async function open(url: string, bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (bytes) socket.write(bytes);
  return socket;
}

test('Nexus stops although clients hold connections: silent, with half a header, with half a body, kept alive', async () => {
  const nexus = startNexus(['serve'], { env });
  const url = await nexus.ready();
  const held = [
    await open(url, ''),
    await open(url, 'GET /healthz HTTP/1.1\r\nHost'),
    await open(url, `POST /api/v1/users HTTP/1.1\r\n${HEADERS}Content-Length: 100\r\n\r\n{"user`),
  ];
  const keptAlive = await open(url, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(keptAlive, 'data');
  expect(await nexus.stop('SIGTERM')).toBe(0);
  for (const socket of [...held, keptAlive]) socket.destroy();
});

test('a request under way when the signal comes is answered', async () => {
  const nexus = startNexus(['serve'], { env: { ...env, NEXUS_SHUTDOWN_GRACE_SECONDS: '30' } });
  const body = '{"username":"unhurried"}';
  const socket = await open(
    await nexus.ready(),
    `POST /api/v1/users HTTP/1.1\r\n${HEADERS}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await once(socket, 'data');
  nexus.child.kill('SIGTERM');
  await nexus.prints(/finishing what is under way/);
  const answered = socket.setEncoding('utf8').toArray();
  socket.write(body);
  expect((await answered).join('')).toContain('HTTP/1.1 201');
  expect(await nexus.exited).toBe(0);
});

test('a second signal ends it immediately', async () => {
  const nexus = startNexus(['serve'], { env: { ...env, NEXUS_SHUTDOWN_GRACE_SECONDS: '600' } });
  const socket = await open(
    await nexus.ready(),
    `POST /api/v1/users HTTP/1.1\r\n${HEADERS}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n`,
  );
  await once(socket, 'data');
  nexus.child.kill('SIGTERM');
  await nexus.prints(/finishing what is under way/);
  // Two signals within a second count as one keystroke.
  const again = setInterval(() => nexus.child.kill('SIGTERM'), 200);
  expect(await nexus.exited).toBe(1);
  clearInterval(again);
  socket.destroy();
});

test('it stops while it waits for somebody who changes the schema', async () => {
  const held = holdBeforeCommit(database.sql);
  const locked = transaction(held.sql, lockSchema);
  await held.reached;
  const nexus = startNexus(['serve'], { env });
  await statementBlocked(database.sql, 'pg_advisory_xact_lock');
  nexus.child.kill('SIGTERM');
  expect(await nexus.exited).toBe(0);
  expect(nexus.output()).toContain('stopping before the database is open');
  held.letGo();
  await locked;
});

test('a terminal that is closed stops it', async () => {
  const nexus = startNexus(['serve'], { env });
  await nexus.ready();
  expect(await nexus.stop('SIGHUP')).toBe(0);
});
