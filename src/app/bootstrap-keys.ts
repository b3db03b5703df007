import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Role } from '../contract/roles.ts';
import type { BootstrapKey } from '../features/identity/bootstrap.ts';
import { BOOTSTRAP_ROLES } from '../features/identity/well-known-keys.ts';
import { newId } from '../platform/ids.ts';
import type { Config } from './config.ts';

const FILE = 'bootstrap-keys.json';
const OWNER_ONLY = 0o600;

const key = z.string().regex(/^nexus_[\w-]{43}$/);
const keptKeys = z.record(z.enum(BOOTSTRAP_ROLES), key);
type KeptKeys = z.output<typeof keptKeys>;

/** Returns the configured bootstrap keys; in `dev`, the data directory has keys for the other roles. */
export async function readBootstrapKeys(
  config: Pick<Config, 'env' | 'dataDir' | 'databaseUrl' | 'bootstrapKeys'>,
): Promise<BootstrapKey[]> {
  const configured = new Map<Role, BootstrapKey>(config.bootstrapKeys.map((entry) => [entry.role, entry]));
  if (config.env !== 'dev' || configured.size === BOOTSTRAP_ROLES.length) return config.bootstrapKeys;
  const kept = await readOrMakeKeys(path.join(config.dataDir, FILE));
  // Several data directories may share an external database, and must not disable each other's keys.
  const keepsOthers = config.databaseUrl !== undefined;
  return BOOTSTRAP_ROLES.map(
    (role) => configured.get(role) ?? { role, key: kept[role], isConfigured: false, keepsOthers },
  );
}

async function readOrMakeKeys(file: string): Promise<KeptKeys> {
  const kept = await readKeys(file);
  if (kept) return kept;
  await makeKeys(file);
  return (await readKeys(file)) ?? unreadable(file);
}

async function readKeys(file: string): Promise<KeptKeys | undefined> {
  const handle = await open(file, 'r').catch(ignore('ENOENT'));
  if (!handle) return undefined;
  try {
    const { mode } = await handle.stat();
    if (mode & 0o077) await handle.chmod(OWNER_ONLY);
    return parseKeys(await handle.readFile('utf8')) ?? unreadable(file);
  } finally {
    await handle.close();
  }
}

/** Writes the file under another name and links it into place: of several processes one wins, and its file is complete. */
async function makeKeys(file: string): Promise<void> {
  // Readable by others: the account of the embedded PostgreSQL must reach its own directory inside.
  await mkdir(path.dirname(file), { recursive: true });
  const keys = BOOTSTRAP_ROLES.map((role) => [role, `nexus_${randomBytes(32).toString('base64url')}`]);
  const draft = `${file}.${newId()}`;
  const handle = await open(draft, 'wx', OWNER_ONLY);
  try {
    await handle.writeFile(`${JSON.stringify(Object.fromEntries(keys), null, 2)}\n`);
    await handle.sync();
    await link(draft, file).catch(ignore('EEXIST'));
  } finally {
    await handle.close();
    await rm(draft);
  }
}

function parseKeys(text: string): KeptKeys | undefined {
  try {
    return keptKeys.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function unreadable(file: string): never {
  throw new Error(`${file} does not hold four keys. Delete it, and new ones are made.`);
}

function ignore(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
