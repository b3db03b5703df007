import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { vi } from 'vitest';
import { findPackagedServer } from '../../src/platform/database/embedded/binaries.ts';
import { prepareCluster, startCluster, stopCluster } from '../../src/platform/database/embedded/cluster.ts';
import { migrate, readMigrations } from '../../src/platform/database/migrator.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { newDirectory } from './workspace.ts';

/** A PostgreSQL of the test's own, migrated, for what cannot be done to the one that all tests share. */
export interface RestartableServer {
  target: TestDatabase['target'];
  /** `immediate` is what a crash does: whatever has not reached the disk is lost. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  stop(): Promise<void>;
  /** Again, after `stop`. */
  start(): Promise<void>;
}

export async function startServer(settings: Record<string, string> = {}): Promise<RestartableServer> {
  const directory = path.join(await newDirectory('server'), 'postgres');
  const cluster = await prepareCluster(await findPackagedServer(), directory, settings);
  await startCluster(cluster);
  const target = { ...cluster.connection, database: 'postgres' };
  const sql = openTestDatabase(target, 1);
  await migrate(sql, await readMigrations());
  await sql.end();

  async function crash(): Promise<void> {
    const lockFile = path.join(directory, 'data', 'postmaster.pid');
    process.kill(Number.parseInt(await readFile(lockFile, 'utf8'), 10), 'SIGQUIT');
    await vi.waitUntil(
      () =>
        readFile(lockFile).then(
          () => false,
          () => true,
        ),
      { timeout: 30_000, interval: 10 },
    );
  }

  return {
    target,
    async restart(mode) {
      await (mode === 'fast' ? stopCluster(cluster) : crash());
      await startCluster(cluster);
    },
    stop: () => stopCluster(cluster),
    start: () => startCluster(cluster),
  };
}
