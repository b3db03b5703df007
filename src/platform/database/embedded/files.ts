import { access, chmod, chown, lstat, mkdir, open } from 'node:fs/promises';
import type { Account } from './account.ts';

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Whether a process with this pid exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Syncs a directory, so that created and renamed entries survive a power loss. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a directory that belongs to Nexus. Under root, the account that runs PostgreSQL may pass through it. */
export async function createOwnDirectory(directory: string, account: Account | undefined): Promise<void> {
  const created = await mkdir(directory, { recursive: true });
  if (created !== undefined) await chmod(directory, account ? 0o711 : 0o700);
}

/** Creates a directory that belongs to the account that runs PostgreSQL. Throws when it belongs to another user. */
export async function createServerDirectory(directory: string, account: Account | undefined): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(directory);
  const mine = process.getuid?.();
  if (account && found.isDirectory() && found.uid === mine) return chown(directory, account.uid, account.gid);
  if (!found.isDirectory() || found.uid !== (account?.uid ?? mine)) {
    throw new Error(
      `${directory} belongs to another user. Remove it, or set NEXUS_DATA_DIR to another directory.`,
    );
  }
}
