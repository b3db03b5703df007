import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, vi } from 'vitest';
import { findPackagedServer } from '../../src/platform/database/embedded/binaries.ts';
import { prepareCluster, startCluster, stopCluster } from '../../src/platform/database/embedded/cluster.ts';
import { connectTo, socketUrl, type TestDatabase } from './database.ts';
import { NOT_DURABLE } from './not-durable.ts';
import { newDataDir } from './workspace.ts';

/** A migrated PostgreSQL that a test may stop and restart, which the shared one must not be. */
export interface RestartableServer {
  target: TestDatabase['target'];
  url: string;
  /** `immediate` is a crash: data that has not reached the disk is lost. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Gives the test file a server of its own, for tests that read the event feed. The feed shows an event when no older
 * transaction is open on the server, so transactions of other files would delay it.
 */
export async function useServer(): Promise<TestDatabase> {
  const server = await startServer(NOT_DURABLE);
  afterAll(() => server.stop());
  const { database, close } = connectTo(server.target);
  afterAll(close);
  return database;
}

export async function startServer(settings: Record<string, string> = {}): Promise<RestartableServer> {
  const directory = path.join(await newDataDir(), 'postgres');
  const cluster = await prepareCluster(await findPackagedServer(), directory, settings);
  await startCluster(cluster);
  const target = { ...cluster.connection, database: 'nexus' };

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
    url: socketUrl(target),
    async restart(mode) {
      await (mode === 'fast' ? stopCluster(cluster) : crash());
      await startCluster(cluster);
    },
    stop: () => stopCluster(cluster),
    start: () => startCluster(cluster),
  };
}
