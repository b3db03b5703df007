import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { vi } from 'vitest';
import { findPackagedServer } from '../../src/platform/database/embedded/binaries.ts';
import {
  type Cluster,
  prepareCluster,
  startCluster,
  stopCluster,
} from '../../src/platform/database/embedded/cluster.ts';
import { openTestDatabase } from './database.ts';
import { freePort } from './free-port.ts';
import { childrenOf, signalAll } from './processes.ts';
import { newDataDir } from './workspace.ts';

/** A migrated primary whose commits wait for a standby. */
export interface ReplicatedServer {
  /** A URL with both hosts. */
  url: string;
  target: { url: string };
  killPrimary(): Promise<void>;
  freezePrimary(): Promise<void>;
  thawPrimary(): void;
  promoteStandby(): Promise<void>;
  stop(): Promise<void>;
}

const STANDBY = 'standby';

export async function startReplicatedServer(): Promise<ReplicatedServer> {
  const server = await findPackagedServer();
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  const prepare = async (settings: Record<string, string>) =>
    prepareCluster(server, path.join(await newDataDir(), 'postgres'), {
      listen_addresses: '127.0.0.1',
      max_connections: '300',
      fsync: 'off',
      ...settings,
    });
  // Both are copies of the same stopped server, as a standby is a copy of its primary.
  const primary = await prepare({ port: String(primaryPort), synchronous_standby_names: STANDBY });
  const { username, password } = primary.connection;
  const standby = await prepare({
    port: String(standbyPort),
    primary_conninfo: `host=127.0.0.1 port=${primaryPort} user=${username} password=${password} application_name=${STANDBY}`,
  });
  await writeFile(path.join(standby.dataDir, 'standby.signal'), '');
  await startCluster(primary);
  await startCluster(standby);

  const urlOf = (hosts: string) => `postgres://${username}:${password}@${hosts}/nexus`;
  const hosts = [primaryPort, standbyPort].map((port) => `127.0.0.1:${port}`);
  const url = `${urlOf(hosts.join(','))}?target_session_attrs=read-write`;
  await untilReplicating(urlOf(hosts[0] ?? ''));
  let frozen: number[] = [];

  return {
    url,
    target: { url },
    async killPrimary() {
      signalAll(await processesOf(primary), 'SIGKILL');
    },
    async freezePrimary() {
      frozen = await processesOf(primary);
      signalAll(frozen, 'SIGSTOP');
    },
    thawPrimary() {
      signalAll(frozen, 'SIGCONT');
    },
    async promoteStandby() {
      const sql = openTestDatabase({ url: urlOf(hosts[1] ?? '') }, 1);
      await sql`select pg_promote()`;
      await sql.end();
    },
    async stop() {
      for (const cluster of [standby, primary]) await stopCluster(cluster);
    },
  };
}

async function untilReplicating(url: string): Promise<void> {
  const sql = openTestDatabase({ url }, 1);
  await vi.waitUntil(
    async () => (await sql`select from pg_stat_replication where sync_state = 'sync'`).length === 1,
    { timeout: 30_000, interval: 50 },
  );
  await sql.end();
}

/** The pids of a server: its first process, then those that it started. */
async function processesOf({ files }: Cluster): Promise<number[]> {
  const pid = Number.parseInt(await readFile(files.lock, 'utf8'), 10);
  return [pid, ...(await childrenOf(pid))];
}
