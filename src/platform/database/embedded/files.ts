import { access, chmod, chown, lstat, mkdir, open } from 'node:fs/promises';
import type { Account } from './account.ts';

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Whether a process with this pid exists, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Makes what was created or renamed inside a directory survive a power loss. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a directory of Nexus's own. Under root, the account that runs PostgreSQL may pass through it. */
export async function makeDirectory(directory: string, passedBy: Account | undefined): Promise<void> {
  const made = await mkdir(directory, { recursive: true });
  if (made !== undefined) await chmod(directory, passedBy ? 0o711 : 0o700);
}

/** Creates a directory for the account that runs PostgreSQL, and refuses one that belongs to somebody else. */
export async function lendDirectory(directory: string, account: Account | undefined): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(directory);
  const mine = process.getuid?.();
  if (account && found.isDirectory() && found.uid === mine) return chown(directory, account.uid, account.gid);
  if (!found.isDirectory() || found.uid !== (account?.uid ?? mine)) {
    throw new Error(`${directory} belongs to somebody else. Remove it, or choose another NEXUS_DATA_DIR.`);
  }
}
