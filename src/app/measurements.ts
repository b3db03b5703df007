import { statfs } from 'node:fs/promises';
import type { Database } from '../platform/database/database.ts';
import type { Measurement } from '../platform/telemetry/metrics.ts';

export function measureConnections(sql: Database, poolSize: number): Measurement[] {
  const states = Object.entries(sql.usage()).map(([state, value]) => ({
    name: 'nexus_database_connections',
    help: 'Connections of the pool of this process, and callers that wait for one.',
    labels: { state },
    value,
  }));
  const help = 'The largest number of connections of the pool of this process.';
  return [...states, { name: 'nexus_database_pool_size', help, value: poolSize }];
}

/** Compares this machine's clock with the database's. The answer is taken to be from the middle of the round trip. */
export async function measureClock(sql: Database): Promise<Measurement[]> {
  const [asked, startedAt] = [Date.now(), performance.now()];
  const [{ epoch_ms }] = await sql<[{ epoch_ms: number }]>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as epoch_ms`;
  const middle = asked + (performance.now() - startedAt) / 2;
  return [
    {
      name: 'nexus_clock_skew_seconds',
      help: "How far this machine's clock is ahead of the database's.",
      value: (middle - epoch_ms) / 1000,
    },
  ];
}

/** Measures the disk of the data directory. A worker that never stored anything has none, and is left out. */
export async function measureDisk(directory: string): Promise<Measurement[]> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return [
    {
      name: 'nexus_disk_free_bytes',
      help: 'The free space on the disk of the data directory.',
      value: bavail * bsize,
    },
    {
      name: 'nexus_disk_size_bytes',
      help: 'The size of the disk of the data directory.',
      value: blocks * bsize,
    },
  ];
}
