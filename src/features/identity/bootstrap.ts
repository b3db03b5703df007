import { NexusError } from '../../contract/errors.ts';
import type { User } from '../../contract/identity.ts';
import type { Role } from '../../contract/roles.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { auditDetails, hashKey, visiblePrefix } from './api-keys.ts';
import * as bootstrapped from './bootstrap-store.ts';
import { emitApiKeyEvent } from './events.ts';
import * as store from './store.ts';
import type { Users } from './users.ts';
import { bootstrapUsername } from './well-known-keys.ts';

export interface BootstrapKey {
  role: Role;
  key: string;
  /** Set by a variable. Whoever sets one relies on it, so a key that cannot be seeded stops the start. */
  isConfigured: boolean;
  /** Whether earlier bootstrap keys of the person stay good: those of other data directories on the same database. */
  keepsOthers: boolean;
}

export interface BootstrapDependencies {
  sql: Database;
  users: Users;
  env: bootstrapped.Environment;
}

const RAW_ROLES: Role[] = ['researcher', 'admin'];
const KEY_NAME = 'bootstrap';
const SYSTEM = { name: 'system' };

/**
 * Ensures one user `dev-<role>` who has the role and the key of each entry. Starting twice, or twice at once, changes
 * nothing. Returns the roles that were not seeded because somebody else has the username.
 */
export async function seedBootstrapKeys(
  { sql, users, env }: BootstrapDependencies,
  keys: BootstrapKey[],
): Promise<Role[]> {
  const taken: Role[] = [];
  for (const entry of keys) {
    const isSeeded = await transaction(sql, async (tx) => {
      const user = await ensureUser(tx, users, entry.role, env);
      if (user) await ensureKey(tx, user, entry);
      return user !== undefined;
    }).catch(falseWhenTaken);
    if (isSeeded) continue;
    if (entry.isConfigured) {
      throw new Error(
        `${variableOf(entry.role)} is the key of the user ${bootstrapUsername(entry.role)}, but that username belongs to ` +
          'somebody whom Nexus did not make. Have them choose another username, or unset the variable.',
      );
    }
    taken.push(entry.role);
  }
  return taken;
}

/** Undefined when somebody else has the username: a name must not make anybody an admin. */
async function ensureUser(
  tx: Transaction,
  users: Users,
  role: Role,
  env: bootstrapped.Environment,
): Promise<User | undefined> {
  const username = bootstrapUsername(role);
  const made = await users.insertWithLibrary(tx, { username, role }, SYSTEM);
  const user = made ?? (await bootstrapped.lockBootstrapUser(tx, username));
  if (!user) return undefined;
  await bootstrapped.markBootstrapped(tx, user.id, env);
  if (user.role === role && user.disabled_at === null) return user;
  return users.updateIn(tx, user.id, { role, disabled: false }, SYSTEM);
}

/** Somebody had the username before and it stays theirs. */
function falseWhenTaken(error: unknown): false {
  if (error instanceof NexusError && error.code === 'E_USERNAME_TAKEN') return false;
  throw error;
}

/** The user's row is locked, so of two processes that start at once one writes and the other finds it done. */
async function ensureKey(
  tx: Transaction,
  user: User,
  { role, key, keepsOthers }: BootstrapKey,
): Promise<void> {
  const key_hash = hashKey(key);
  const raw_mode_enabled = RAW_ROLES.includes(role);
  const existing = await store.findApiKeyByHash(tx, key_hash);
  if (existing && existing.user_id !== user.id) {
    throw new Error(
      `${variableOf(role)} is the key of ${existing.owner} already. Choose another for ${user.username}.`,
    );
  }
  if (!keepsOthers) {
    await announceDisabled(tx, await bootstrapped.disableKeysNamed(tx, user.id, KEY_NAME, key_hash));
  }
  if (!existing) {
    const created = await store.insertApiKey(tx, {
      id: newId(),
      user_id: user.id,
      name: KEY_NAME,
      key_hash,
      prefix: visiblePrefix(key),
      role,
      raw_mode_enabled,
      requests_per_minute: null,
      expires_at: null,
    });
    await recordAudit(tx, { action: 'api_key.created', actor: SYSTEM, details: auditDetails(created) });
    await emitApiKeyEvent(tx, 'api_key.created', created);
  } else if (!existing.enabled || existing.role !== role || existing.raw_mode_enabled !== raw_mode_enabled) {
    const enabled = await bootstrapped.enableApiKey(tx, existing.id, role, raw_mode_enabled);
    await recordAudit(tx, { action: 'api_key.enabled', actor: SYSTEM, details: auditDetails(enabled) });
  }
}

export async function announceDisabled(
  tx: Transaction,
  keys: Awaited<ReturnType<typeof bootstrapped.disableKeysNamed>>,
): Promise<void> {
  for (const key of keys) {
    await recordAudit(tx, { action: 'api_key.disabled', actor: SYSTEM, details: auditDetails(key) });
    await emitApiKeyEvent(tx, 'api_key.disabled', key);
  }
}

function variableOf(role: Role): string {
  return `NEXUS_BOOTSTRAP_${role.toUpperCase()}_KEY`;
}
