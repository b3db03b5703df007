import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';
import { copyCluster } from './copy-cluster.ts';

/** The directory of the test file that runs now. Every process the file starts mentions it, so leaked processes are found. */
export let fileDir = '';

const cleanups: (() => Promise<unknown>)[] = [];

/** Starts a new test file. Files share a process and its modules, so what belongs to one file is reset here. */
export function beginFile(): void {
  fileDir = path.join(inject('runDir'), `file-${randomBytes(4).toString('hex')}`);
}

/** Runs `cleanup` after the hooks of the current test file. Works at any time, where a hook can only be added outside tests. */
export function atFileEnd(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

export async function endFile(): Promise<void> {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
}

/** Creates a directory that any account may pass through, and only its owner may read. */
export async function newDirectory(name = 'dir'): Promise<string> {
  const directory = path.join(fileDir, `${name}-${randomBytes(4).toString('hex')}`);
  await mkdir(directory, { recursive: true });
  await chmod(fileDir, 0o711);
  await chmod(directory, 0o711);
  return directory;
}

/** Creates a data directory of Nexus with a migrated PostgreSQL. A copy takes a tenth of the time of a first start. */
export async function newDataDir(): Promise<string> {
  const dataDir = await newDirectory('data');
  await copyCluster(inject('cluster'), path.join(dataDir, 'postgres'));
  return dataDir;
}
