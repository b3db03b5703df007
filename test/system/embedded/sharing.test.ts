import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { call, DEV_KEYS } from '../../support/app.ts';
import { runNexus, startNexus } from '../../support/nexus-process.ts';
import { processesMentioning } from '../../support/processes.ts';
import { newDataDir, newDirectory } from '../../support/workspace.ts';

const key = DEV_KEYS.admin;
/** Created by the first test and used by later ones, because creating a data directory takes seconds. */
const shared = await newDirectory('data');
const postmaster = async (dataDir: string) =>
  Number.parseInt(await readFile(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10);

test('commands that run at the same time share the server, and the last one stops it', async () => {
  const env = { NEXUS_DATA_DIR: shared };
  for (let round = 0; round < 2; round++) {
    const added = await Promise.all(
      [1, 2, 3].map((n) => runNexus(['users', 'add', `u${round}-${n}`], { env })),
    );
    expect(added.map(({ code, output }) => (code === 0 ? 0 : output))).toEqual([0, 0, 0]);
    expect(await processesMentioning(shared)).toEqual([]);
  }
});

test('serve waits until a running command has ended, and then serves', async () => {
  const env = { NEXUS_DATA_DIR: shared };
  const command = startNexus(['doctor', '--offline'], { env });
  await command.prints(/Checks/);
  const nexus = startNexus(['serve'], { env });
  expect((await call(await nexus.ready(), 'GET', '/api/v1/me', { key })).status).toBe(200);
  await command.exited;
  expect(await nexus.stop()).toBe(0);
  expect(await processesMentioning(shared)).toEqual([]);
});

test('serve opens as many connections as the largest pool, and restarts PostgreSQL when it is killed while commands use it', async () => {
  const env = { NEXUS_DATA_DIR: shared, NEXUS_DATABASE_POOL_SIZE: '150' };
  const nexus = startNexus(['serve'], { env });
  const url = await nexus.ready();
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => call(url, 'GET', '/api/v1/me', { key })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await runNexus(['users', 'list'], { env })).code).toBe(0);
  for (let round = 0; round < 2; round++) {
    const commands = [1, 2].map(() => runNexus(['users', 'list'], { env }));
    process.kill(await postmaster(shared), 'SIGKILL');
    await Promise.all(commands);
    await vi.waitFor(
      async () => expect((await call(url, 'GET', '/api/v1/me', { key })).status).toBe(200),
      30_000,
    );
  }
  expect(await nexus.stop()).toBe(0);
  expect(await processesMentioning(shared)).toEqual([]);
});

test('Ctrl-C on a command lets it finish and leaves no server behind', async () => {
  // An empty directory: the command still has migrations to run when PostgreSQL is up.
  const dataDir = await newDirectory('data');
  const command = startNexus(['users', 'list'], { env: { NEXUS_DATA_DIR: dataDir } });
  await vi.waitFor(() => postmaster(dataDir), 30_000);
  command.child.kill('SIGINT');
  expect(await command.exited).toBe(130);
  expect(await processesMentioning(dataDir)).toEqual([]);
});

test('stopping while PostgreSQL is down is still a clean stop', async () => {
  const dataDir = await newDataDir();
  const env = { NEXUS_DATA_DIR: dataDir, NEXUS_SHUTDOWN_GRACE_SECONDS: '2', NEXUS_WORKER_GRACE_SECONDS: '2' };
  const nexus = startNexus(['serve'], { env });
  await nexus.ready();
  await rm(path.join(dataDir, 'postgres', 'data', 'global'), { recursive: true });
  process.kill(await postmaster(dataDir), 'SIGKILL');
  await nexus.prints(/PostgreSQL could not be started/);
  expect(await nexus.stop()).toBe(0);
  expect(await processesMentioning(dataDir)).toEqual([]);
});

test('a backup restored without its password file is refused with instructions, and nothing is left running', async () => {
  const dataDir = await newDataDir();
  await rm(path.join(dataDir, 'postgres', 'password'));
  const { code, output } = await runNexus(['serve'], { env: { NEXUS_DATA_DIR: dataDir } });
  expect(code).toBe(1);
  expect(output).toContain('The file `password` does not belong to this data directory.');
  expect(await processesMentioning(dataDir)).toEqual([]);
});
