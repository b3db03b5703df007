import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/platform/database/database.ts';
import { findPackagedServer } from '../../src/platform/database/embedded/binaries.ts';
import {
  type Cluster,
  prepareCluster,
  startCluster,
  stopCluster,
} from '../../src/platform/database/embedded/cluster.ts';
import { migrate, readMigrations } from '../../src/platform/database/migrator.ts';
import { copyCluster } from './copy-cluster.ts';
import { NOT_DURABLE } from './not-durable.ts';
import { bundlePrograms, removeBundles } from './process-bundles.ts';
import { processesMentioning } from './processes.ts';
import { createRunDirectory } from './run-directory.ts';

declare module 'vitest' {
  interface ProvidedContext {
    server: Cluster['connection'];
    /** A stopped PostgreSQL with a migrated database, to copy. */
    cluster: string;
    /** The directory of the run. All its files lie below it, and the command line or environment of its processes names it. */
    runDir: string;
    /** The directory of the bundled programs that tests start in processes. */
    bundles: string;
  }
}

/** Starts one temporary PostgreSQL for the run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject) {
  const runDir = await createRunDirectory();
  const bundling = bundlePrograms(path.basename(runDir));
  const directory = path.join(runDir, 'server', 'postgres');
  const cluster = await prepareCluster(await findPackagedServer(), directory, {
    ...NOT_DURABLE,
    max_connections: '300',
  });
  await startCluster(cluster);
  await createTemplate(cluster);
  await stopCluster(cluster);
  const copy = path.join(runDir, 'cluster');
  await copyCluster(directory, copy);
  // Only this run can enter the directory of the socket. Checking passwords takes seconds in thousands of connections.
  await writeFile(path.join(cluster.dataDir, 'pg_hba.conf'), 'local all all trust\n');
  await startCluster(cluster);
  project.provide('server', cluster.connection);
  project.provide('cluster', copy);
  project.provide('runDir', runDir);
  project.provide('bundles', await bundling);
  project.onTestsRerun(async () => void (await bundlePrograms(path.basename(runDir))));

  return async () => {
    await stopCluster(cluster);
    await removeBundles(await bundling);
    const left = await processesMentioning(runDir);
    if (left.length > 0) {
      throw new Error(
        `The tests left processes behind:\n${left.map((process) => process.command).join('\n')}`,
      );
    }
    await rm(runDir, { recursive: true, force: true });
  };
}

/** Creates the database that a data directory of Nexus has, which is also the template of the test files. */
async function createTemplate(cluster: Cluster): Promise<void> {
  const options = {
    poolSize: 1,
    statementTimeoutSeconds: 30,
    idleTransactionTimeoutSeconds: 30,
    applicationName: 'nexus test setup',
  };
  const admin = openDatabase({ ...cluster.connection, database: 'postgres' }, options);
  await admin`create database nexus`;
  await admin.end();
  const template = openDatabase({ ...cluster.connection, database: 'nexus' }, options);
  await migrate(template, await readMigrations());
  await template.end();
}
