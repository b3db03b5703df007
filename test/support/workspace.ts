import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';

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
