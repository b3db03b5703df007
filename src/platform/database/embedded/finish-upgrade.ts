import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { exists, syncDirectory } from './files.ts';

/** Where an upgrade builds the new data. */
export const newDirectory = (directory: string) => path.join(directory, 'upgrade');
/** The file that says that the new data are complete. */
export const readyMark = (directory: string) => path.join(newDirectory(directory), 'ready');

/** Puts the new data in place, if an upgrade has moved the old ones away. Safe to repeat after a crash. */
export async function finishUpgrade(directory: string): Promise<void> {
  const fresh = newDirectory(directory);
  if (!(await exists(readyMark(directory)))) return;
  const dataDir = path.join(directory, 'data');
  if (!(await exists(dataDir))) {
    await rename(path.join(fresh, 'data'), dataDir);
    await syncDirectory(directory);
  }
  await rm(fresh, { recursive: true, force: true });
}
