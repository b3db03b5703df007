import { createHash } from 'node:crypto';
import { access, chmod, chown, lstat, mkdir, open, readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** The operating system account that runs PostgreSQL. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Returns the account for the server when Nexus runs as root, which PostgreSQL does not allow: the owner of the existing
 * cluster, or the first of `nexus`, `postgres` and `nobody` that exists. Returns undefined for other users, who run
 * PostgreSQL as themselves.
 */
export async function serverAccount(clusterDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = parseAccounts(await readFile('/etc/passwd', 'utf8'));
  const owner = await stat(clusterDir).catch(() => undefined);
  if (owner && owner.uid !== 0) {
    const name = accounts.find((account) => account.uid === owner.uid)?.name ?? `uid ${owner.uid}`;
    return { name, uid: owner.uid, gid: owner.gid };
  }
  for (const name of ['nexus', 'postgres', 'nobody']) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account) return account;
  }
  throw new Error(
    'PostgreSQL cannot run as root, and this system has no account nexus, postgres or nobody to run it. ' +
      'Create one (`useradd --system nexus`), or start Nexus as another user.',
  );
}

function parseAccounts(passwd: string): Account[] {
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }))
    .filter((account) => account.uid !== 0);
}

/** Whether an operation succeeds. */
export async function succeeds(operation: Promise<unknown>): Promise<boolean> {
  return operation.then(
    () => true,
    () => false,
  );
}

export async function exists(file: string): Promise<boolean> {
  return succeeds(access(file));
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

/** The path of a socket, with its final NUL, must fit into 104 bytes on macOS and 108 on Linux. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Creates the directory of the socket: next to the data, or, if that path is too long, in the temporary directory. */
export async function socketDirectory(clusterDir: string, account: Account | undefined): Promise<string> {
  const preferred = path.join(clusterDir, 'run');
  const fits = Buffer.byteLength(path.join(preferred, '.s.PGSQL.5432.lock')) <= MAX_SOCKET_PATH_BYTES;
  const fingerprint = createHash('sha256').update(clusterDir).digest('hex').slice(0, 16);
  const directory = fits ? preferred : path.join(os.tmpdir(), `nexus-${fingerprint}`);
  await createServerDirectory(directory, account);
  return directory;
}
