import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPackagedServer } from '../../../src/platform/database/embedded/binaries.ts';
import {
  type Cluster,
  prepareCluster,
  startCluster,
  stopCluster,
} from '../../../src/platform/database/embedded/cluster.ts';
import { call, DEV_KEYS } from '../../support/app.ts';
import { runCommand } from '../../support/command.ts';
import { openTestDatabase, useDatabase } from '../../support/database.ts';
import { runNexus, startNexus } from '../../support/nexus-process.ts';
import { dumpSchema } from '../../support/schema-dump.ts';
import { newDirectory } from '../../support/workspace.ts';

const current = useDatabase({ template: 'template0' });
let cluster: Cluster;
let url: string;

beforeAll(async () => {
  const server = await findPackagedServer(
    new URL('../../support/postgres-15/package.json', import.meta.url).href,
  );
  cluster = await prepareCluster(server, path.join(await newDirectory('fifteen'), 'postgres'), {
    fsync: 'off',
  });
  await startCluster(cluster);
  const { username, password, host, port } = cluster.connection;
  url = `postgres://${username}:${password}@/postgres?host=${encodeURIComponent(host)}&port=${port}`;
});

afterAll(() => stopCluster(cluster));

test('Nexus works the same on an external server, from PostgreSQL 15 on', async () => {
  const env = { NEXUS_DATABASE_URL: url, NEXUS_DATA_DIR: await newDirectory('data') };
  const nexus = startNexus(['serve'], { env });
  const address = await nexus.ready();
  expect(nexus.output()).toContain(`PostgreSQL at ${cluster.connection.host}:5432, database postgres`);
  const created = await call(address, 'POST', '/api/v1/users', {
    key: DEV_KEYS.admin,
    body: { username: 'ana' },
  });
  expect(created.status).toBe(201);
  expect(await runNexus(['users', 'list'], { env })).toMatchObject({
    code: 0,
    output: expect.stringContaining('ana'),
  });
  expect(await nexus.stop()).toBe(0);
  expect(nexus.output()).not.toContain(cluster.connection.password);
});

test('its schema there is the one in schema.sql', async () => {
  const sql = openTestDatabase({ url }, 1);
  const expected = await readFile(new URL('../../../schema.sql', import.meta.url), 'utf8');
  expect(await dumpSchema(sql)).toBe(expected);
  await sql.end();
});

test('its words are separated in the same way', async () => {
  const sql = openTestDatabase({ url }, 1);
  const text = 'She said “hello”—inter\u00adnational, Nexus™ x² «Возрождения» ¿Qué? 潮汐';
  const expected = ' she said hello international nexus x 2 ';
  const [{ words }] = await sql<[{ words: string }]>`select search_words(${text}) as words`;
  expect(words.startsWith(expected)).toBe(true);
  // The character type C has no lower case beyond ASCII.
  expect(words.slice(expected.length).toLowerCase()).toBe('возрождения que 潮 汐 ');
  await sql.end();
});

test('a backup of it restores on the current PostgreSQL', async () => {
  const file = path.join(await newDirectory('backups'), 'fifteen.tar');
  const from = { NEXUS_DATABASE_URL: url, NEXUS_DATA_DIR: await newDirectory('data') };
  expect(await runCommand(['backup', file], from)).toMatchObject({ code: 0 });
  const to = { NEXUS_DATABASE_URL: current.url, NEXUS_DATA_DIR: await newDirectory('data') };
  const { code, output } = await runCommand(['restore', file], to);
  expect(output).toContain('on PostgreSQL 15.');
  expect(output).toContain('The integrity audit of 0 documents found nothing.');
  expect(code).toBe(0);
  expect(await dumpSchema(current.sql)).toBe(
    await readFile(new URL('../../../schema.sql', import.meta.url), 'utf8'),
  );
});
