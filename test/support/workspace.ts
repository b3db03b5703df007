import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';

/** This test file's own directory. Whatever the file starts mentions it, so that what it leaves can be found. */
export const fileDir = path.join(inject('runDir'), `file-${randomBytes(4).toString('hex')}`);

/** A new directory that any account may pass through, and only its owner may read. */
export async function newDirectory(name = 'dir'): Promise<string> {
  const directory = path.join(fileDir, `${name}-${randomBytes(4).toString('hex')}`);
  await mkdir(directory, { recursive: true });
  await chmod(fileDir, 0o711);
  await chmod(directory, 0o711);
  return directory;
}
