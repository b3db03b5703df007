import { copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../telemetry/logger.ts';
import { findPackagedServer, type PackagedServer } from './binaries.ts';
import { stopCluster } from './cluster.ts';
import { type EmbeddedServer, startEmbedded } from './embedded.ts';
import { createOwnDirectory, exists, serverAccount, syncDirectory } from './files.ts';
import { finishUpgrade, newDirectory, readyMark } from './finish-upgrade.ts';

interface Upgrade {
  from: number;
  to: number;
  /** Where the old data are kept. */
  kept: string;
}

interface UpgradeOptions {
  /** `<data directory>/postgres` */
  directory: string;
  log: Logger;
  /** Copies the database of the old server into that of the new one, which is empty. */
  copy(from: EmbeddedServer['connection'], to: EmbeddedServer['connection']): Promise<void>;
}

const POOL_SIZE = 5;

/**
 * Moves the data to the major version of this release: it runs the old server, whose programs are kept beside its data,
 * and a new one, copies the database, and exchanges the data directories. The old data are kept. Returns undefined when
 * the data have this version already.
 */
export async function upgradeCluster({ directory, log, copy }: UpgradeOptions): Promise<Upgrade | undefined> {
  await finishUpgrade(directory);
  const server = await findPackagedServer();
  const from = await majorOf(directory);
  if (from === undefined) throw new Error(`There are no data in ${directory}. Start Nexus to create them.`);
  if (from === server.major) return undefined;
  const old = await findInstalledServer(directory, from);
  const kept = path.join(directory, `data-${from}`);
  if (await exists(kept))
    throw new Error(`${kept} is there from an earlier upgrade. Move it away, and start again.`);

  const fresh = newDirectory(directory);
  // Left by an upgrade that was killed.
  await stopCluster({
    files: { lock: path.join(fresh, 'data', 'postmaster.pid'), log: path.join(fresh, 'log', 'postgres.log') },
  });
  await rm(fresh, { recursive: true, force: true });
  await createOwnDirectory(fresh, await serverAccount(path.join(directory, 'data')));
  // Both have the same password, so that the old data can be used again.
  await copyFile(path.join(directory, 'password'), path.join(fresh, 'password'));
  const common = { whenOwned: 'refuse', purpose: 'upgrade-database', poolSize: POOL_SIZE, log } as const;
  const source = await startEmbedded({ ...common, directory, server: old });
  try {
    const target = await startEmbedded({ ...common, directory: fresh, server });
    try {
      await copy(source.connection, target.connection);
    } finally {
      await target.stop();
    }
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  } finally {
    await source.stop();
  }
  await writeFile(readyMark(directory), '');
  await syncDirectory(fresh);
  await rename(path.join(directory, 'data'), kept);
  await finishUpgrade(directory);
  return { from, to: server.major, kept };
}

/** Returns the major version of PostgreSQL that wrote the data; undefined without data. */
async function majorOf(directory: string): Promise<number | undefined> {
  const version = await readFile(path.join(directory, 'data', 'PG_VERSION'), 'utf8').catch(() => '');
  return version === '' ? undefined : Number.parseInt(version, 10);
}

/** Finds the programs of an earlier release, which installed them beside its data. */
async function findInstalledServer(directory: string, major: number): Promise<PackagedServer> {
  const versions = (await readdir(directory))
    .map((name) => /^server-(.*)$/.exec(name)?.[1])
    .filter((version) => version !== undefined && Number.parseInt(version, 10) === major);
  const [version] = versions.toSorted().toReversed();
  if (version !== undefined) return { version, major, nativeDir: path.join(directory, `server-${version}`) };
  throw new Error(
    `The programs of PostgreSQL ${major} are not in ${directory} any more. ` +
      'Make a backup with the Nexus release that wrote the data, and restore it with this one.',
  );
}
