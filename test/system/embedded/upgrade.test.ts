// @module-tag slow
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { findPackagedServer } from '../../../src/platform/database/embedded/binaries.ts';
import { startEmbedded } from '../../../src/platform/database/embedded/embedded.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { call, DEV_KEYS } from '../../support/app.ts';
import { socketUrl } from '../../support/database.ts';
import { runNexus, startNexus } from '../../support/nexus-process.ts';
import { newDirectory } from '../../support/workspace.ts';

const key = DEV_KEYS.admin;
const dataDir = await newDirectory('data');
const postgres = path.join(dataDir, 'postgres');
const env = { NEXUS_DATA_DIR: dataDir };
const versionOf = async (name: string) =>
  Number.parseInt(await readFile(path.join(postgres, name, 'PG_VERSION'), 'utf8'), 10);

/** Data as a release with PostgreSQL 15 would have left them: with a person, and the event of a library. */
beforeAll(async () => {
  const server = await findPackagedServer(
    new URL('../../support/postgres-15/package.json', import.meta.url).href,
  );
  const log = createLogger({ level: 'silent', format: 'json' });
  const old = await startEmbedded({
    directory: postgres,
    server,
    whenOwned: 'refuse',
    purpose: 'test',
    poolSize: 20,
    log,
  });
  const nexus = startNexus(['serve'], { env: { ...env, NEXUS_DATABASE_URL: socketUrl(old.connection) } });
  const url = await nexus.ready();
  expect((await call(url, 'POST', '/api/v1/users', { key, body: { username: 'ana' } })).status).toBe(201);
  expect((await call(url, 'POST', '/api/v1/libraries', { key, body: { name: 'Kept' } })).status).toBe(201);
  await nexus.stop();
  await old.stop();
});

test('Nexus refuses data of an earlier PostgreSQL, and says which command moves them', async () => {
  const { code, output } = await runNexus(['serve'], { env });
  expect([code, output]).toEqual([1, expect.stringContaining('Run `nexus upgrade-database`')]);
});

test('an upgrade that is killed has changed nothing, and can be repeated', async () => {
  const killed = startNexus(['upgrade-database'], { env });
  await killed.prints(/Copied \d+ rows/);
  await killed.stop('SIGKILL');
  expect(await versionOf('data')).toBe(15);

  const { code, output } = await runNexus(['upgrade-database'], { env });
  expect(output).toMatch(/Compared [\d,]+ rows in \d+ tables with the originals: all are equal\./);
  expect([code, await versionOf('data'), await versionOf('data-15')]).toEqual([0, 18, 15]);
  expect(await runNexus(['upgrade-database'], { env })).toMatchObject({
    code: 0,
    output: expect.stringContaining('There is nothing to do.'),
  });
});

test('everything is there afterwards, also when the machine failed between the two renames', async () => {
  await mkdir(path.join(postgres, 'upgrade'));
  await rename(path.join(postgres, 'data'), path.join(postgres, 'upgrade', 'data'));
  await writeFile(path.join(postgres, 'upgrade', 'ready'), '');

  const nexus = startNexus(['serve'], { env });
  const url = await nexus.ready();
  const { body: users } = await call(url, 'GET', '/api/v1/users', { key });
  expect(users.data).toContainEqual(expect.objectContaining({ username: 'ana' }));
  expect((await call(url, 'POST', '/api/v1/libraries', { key, body: { name: 'New' } })).status).toBe(201);
  const { body: feed } = await call(url, 'GET', '/api/v1/events?types=library.created', { key });
  expect(feed.data).toHaveLength(2);
  expect(await nexus.stop()).toBe(0);
});

test('with a database of its own server, the command refuses', async () => {
  const refused = await runNexus(['upgrade-database'], {
    env: { ...env, NEXUS_DATABASE_URL: 'postgres://x/y' },
  });
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Upgrade the server there') });
});
