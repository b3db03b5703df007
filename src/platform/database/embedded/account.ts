import { readFile, stat } from 'node:fs/promises';

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
