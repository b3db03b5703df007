import { chmod, chown, lstat, mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPackagedServer } from '../../../src/platform/database/embedded/binaries.ts';
import { prepareCluster } from '../../../src/platform/database/embedded/cluster.ts';
import { call, DEV_KEYS } from '../../support/app.ts';
import { installPackage } from '../../support/checkout.ts';
import { type NexusOptions, runNexus, startNexus } from '../../support/nexus-process.ts';
import { newDataDir, newDirectory } from '../../support/workspace.ts';

const isRoot = process.getuid?.() === 0;
const SOMEBODY = 12_345;

let copied: Promise<string> | undefined;
/** A copy of the checkout that all tests share. */
function checkout(): Promise<string> {
  copied ??= installPackage();
  return copied;
}

async function servesFrom(options: NexusOptions): Promise<void> {
  const nexus = startNexus(['serve'], options);
  const url = await nexus.ready();
  expect((await call(url, 'GET', '/api/v1/auth/whoami', { key: DEV_KEYS.viewer })).status).toBe(200);
  expect(await nexus.stop()).toBe(0);
}

describe('Nexus runs', () => {
  test('from a checkout in a directory that only its owner may enter', async () => {
    const root = await checkout();
    await chmod(root, 0o700);
    const dataDir = await newDirectory('data');
    await servesFrom({ root, env: { NEXUS_DATA_DIR: dataDir } });
    // npm packages contain no symbolic links, and no install script made this one.
    const library = path.join(
      dataDir,
      'postgres',
      `server-${(await findPackagedServer()).version}`,
      'lib',
      'libpq.so.5',
    );
    if (process.platform === 'linux') expect(await readlink(library)).toMatch(/^libpq\.so\.5\.\d+$/);
  });

  test.runIf(isRoot)('as root, with PostgreSQL under an unprivileged account', async () => {
    const dataDir = await newDirectory('data');
    const nexus = startNexus(['serve'], { env: { NEXUS_DATA_DIR: dataDir } });
    await nexus.ready();
    const pid = Number.parseInt(
      await readFile(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'),
      10,
    );
    const owner = (await lstat(`/proc/${pid}`)).uid;
    expect(owner).not.toBe(0);
    expect((await lstat(path.join(dataDir, 'postgres', 'data'))).uid).toBe(owner);
    expect((await lstat(path.join(dataDir, 'postgres', 'password'))).uid).toBe(0);
    await nexus.stop();
  });

  test.runIf(isRoot)('as an ordinary user', async () => {
    const root = await checkout();
    await chmod(root, 0o755);
    const dataDir = await newDirectory('data');
    const nobody = (await readFile('/etc/passwd', 'utf8'))
      .split('\n')
      .find((line) => line.startsWith('nobody:'));
    const uid = Number(nobody?.split(':')[2]);
    await chown(dataDir, uid, uid);
    await servesFrom({ root, env: { NEXUS_DATA_DIR: dataDir }, uid, gid: uid });
    expect((await lstat(path.join(dataDir, 'postgres', 'data'))).uid).toBe(uid);
  });

  test('in a data directory whose path is too long for a socket, or has spaces and quotes', async () => {
    const dataDir = path.join(await newDirectory("it's long"), 'x'.repeat(90));
    await servesFrom({ env: { NEXUS_DATA_DIR: dataDir } });
    await servesFrom({ env: { NEXUS_DATA_DIR: dataDir } });
  });

  test('when lock files from before a power loss name a pid that belongs to another program now', async () => {
    const dataDir = await newDataDir();
    await servesFrom({ env: { NEXUS_DATA_DIR: dataDir } });
    const lock = `${process.pid}\n${dataDir}/postgres/data\n1700000000\n5432\n\n\n\n`;
    await writeFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), lock);
    await writeFile(path.join(dataDir, 'postgres', 'run', '.s.PGSQL.5432.lock'), lock);
    await servesFrom({ env: { NEXUS_DATA_DIR: dataDir } });
  });
});

describe('Nexus refuses, with a sentence', () => {
  test('a data directory of another PostgreSQL major version, which stays unchanged', async () => {
    const dataDir = await newDirectory('data');
    const postgres15 = await findPackagedServer(
      new URL('../../support/postgres-15/package.json', import.meta.url).href,
    );
    await prepareCluster(postgres15, path.join(dataDir, 'postgres'));
    const { code, output } = await runNexus(['serve'], { env: { NEXUS_DATA_DIR: dataDir } });
    expect(code).toBe(1);
    expect(output).toContain('was written by PostgreSQL 15. This release contains PostgreSQL 18');
    expect(output).toContain('docs/embedded-postgresql.md');
    expect((await readFile(path.join(dataDir, 'postgres', 'data', 'PG_VERSION'), 'utf8')).trim()).toBe('15');
  });

  test('a data directory with other content', async () => {
    const dataDir = await newDirectory('data');
    await mkdir(path.join(dataDir, 'postgres', 'data'), { recursive: true });
    const { code, output } = await runNexus(['serve'], { env: { NEXUS_DATA_DIR: dataDir } });
    expect([code, output]).toEqual([1, expect.stringContaining('is not a PostgreSQL data directory')]);
  });

  test.runIf(isRoot)('a data directory that the account for PostgreSQL may not enter', async () => {
    const closed = await newDirectory('closed');
    await chmod(closed, 0o700);
    const { code, output } = await runNexus(['serve'], {
      env: { NEXUS_DATA_DIR: path.join(closed, 'data') },
    });
    expect(code).toBe(1);
    expect(output).toMatch(
      /the account \w+, which runs PostgreSQL for root, cannot run .*Set NEXUS_DATA_DIR/,
    );
  });

  test.each([
    ["shared_buffers = 'plenty'", 'invalid value for parameter "shared_buffers": "plenty"'],
    // An address that no machine has.
    ["listen_addresses = '203.0.113.1'", 'could not create any TCP/IP sockets'],
  ])('PostgreSQL with %s, with its message and without delay', async (setting, message) => {
    const dataDir = await newDataDir();
    await writeFile(path.join(dataDir, 'postgres', 'local.conf'), `${setting}\n`, { mode: 0o644 });
    const { code, output } = await runNexus(['serve'], { env: { NEXUS_DATA_DIR: dataDir } });
    expect(code).toBe(1);
    expect(output).toContain(message);
  });

  test('a socket directory that belongs to another user', async () => {
    const dataDir = await newDirectory('data');
    await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
    if (isRoot) {
      await mkdir(path.join(dataDir, 'postgres', 'run'));
      await chown(path.join(dataDir, 'postgres', 'run'), SOMEBODY, SOMEBODY);
    } else {
      await writeFile(path.join(dataDir, 'postgres', 'run'), 'not a directory');
    }
    const { code, output } = await runNexus(['serve'], { env: { NEXUS_DATA_DIR: dataDir } });
    expect([code, output]).toEqual([1, expect.stringContaining('belongs to another user')]);
  });
});
