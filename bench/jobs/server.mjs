// The one PostgreSQL on which all contenders run: Nexus's embedded one, in a temporary directory.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { importNexus } from './import-nexus.mjs';

/**
 * As durable as a server comes; the rest are PostgreSQL's defaults. Checkpoints happen only where the benchmark asks
 * for one, so that none falls to one contender's share.
 */
export const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '60min',
};

/** Starts the server. Databases are cloned from templates, each made once by `install`. */
export async function startServer() {
  const { findPackagedServer } = await importNexus('platform/database/embedded/binaries.ts');
  const { prepareCluster, startCluster, stopCluster } = await importNexus(
    'platform/database/embedded/cluster.ts',
  );
  const directory = await mkdtemp(path.join(os.tmpdir(), 'nexus-bench-'));
  // Under root, the account that runs PostgreSQL has to pass through it.
  await chmod(directory, 0o711);
  const cluster = await prepareCluster(
    await findPackagedServer(),
    path.join(directory, 'postgres'),
    SETTINGS,
  );
  await startCluster(cluster);
  const { host, port, username: user, password } = cluster.connection;
  const connectionTo = (database) => ({ host, port, user, password, database });
  const admin = new pg.Client(connectionTo('postgres'));
  await admin.connect();
  let madeCount = 0;

  return {
    admin,
    connectionTo,
    async version() {
      const { rows } = await admin.query('show server_version');
      return rows[0].server_version;
    },
    async makeTemplate(name, install) {
      await admin.query(`create database ${name}`);
      await install(connectionTo(name));
      await admin.query('checkpoint');
    },
    /** A new database with the template's contents, on a server that has just written everything to disk. */
    async makeDatabase(template) {
      madeCount += 1;
      const name = `bench_${madeCount}`;
      // A copy of the files: the default would write a large template to the WAL.
      await admin.query(`create database ${name} template ${template} strategy file_copy`);
      await admin.query('checkpoint');
      return name;
    },
    async dropDatabase(name) {
      await admin.query(`drop database ${name} with (force)`);
    },
    log: () => readFile(path.join(directory, 'postgres', 'log', 'postgres.log'), 'utf8'),
    async stop() {
      await admin.end();
      await stopCluster(cluster);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
