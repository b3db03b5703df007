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
  /** Whether an environment variable sets the key. Then an error while seeding it stops the start. */
  isConfigured: boolean;
  /** Whether other bootstrap keys of the user stay valid, because other data directories share the database. */
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
 * Ensures that each entry has a user `dev-<role>` with its role and key. It is idempotent, also in parallel starts.
 * Returns the roles that were skipped because somebody else has the username.
 */
export async function seedBootstrapKeys({ sql, users, env }: BootstrapDependencies, keys: BootstrapKey[]) {
  const taken: Role[] = [];
  for (const entry of keys) {
    const isSeeded = await transaction(sql, async (tx) => {
      const user = await ensureUser(tx, users, entry.role, env);
      if (user) await ensureKey(tx, user, entry);
      return user !== undefined;
    }).catch(falseIfTaken);
    if (isSeeded) continue;
    if (entry.isConfigured) {
      throw new Error(
        `${variableOf(entry.role)} sets the key of the user ${bootstrapUsername(entry.role)}, but another person has ` +
          'that username. Ask them to choose another username, or unset the variable.',
      );
    }
    taken.push(entry.role);
  }
  return taken;
}

/** Creates or updates the user. Returns undefined when somebody else has the username, who must not become an admin. */
async function ensureUser(tx: Transaction, users: Users, role: Role, env: bootstrapped.Environment) {
  const username = bootstrapUsername(role);
  const created = await users.insertWithLibrary(tx, { username, role }, SYSTEM);
  const user = created ?? (await bootstrapped.lockBootstrapUser(tx, username));
  if (!user) return undefined;
  await bootstrapped.markBootstrapped(tx, user.id, env);
  if (user.role === role && user.disabled_at === null) return user;
  return users.updateIn(tx, user.id, { role, disabled: false }, SYSTEM);
}

/** A former username stays reserved for the person who had it. */
function falseIfTaken(error: unknown): false {
  if (error instanceof NexusError && error.code === 'E_USERNAME_TAKEN') return false;
  throw error;
}

/** Ensures the key. The user's row is locked, so parallel starts cannot create it twice. */
async function ensureKey(tx: Transaction, user: User, { role, key, keepsOthers }: BootstrapKey) {
  const key_hash = hashKey(key);
  const raw_mode_enabled = RAW_ROLES.includes(role);
  const existing = await store.findApiKeyByHash(tx, key_hash);
  if (existing && existing.user_id !== user.id) {
    throw new Error(
      `${variableOf(role)} is already the key of ${existing.owner}. Choose another key for ${user.username}.`,
    );
  }
  if (!keepsOthers) {
    await recordDisabledKeys(tx, await bootstrapped.disableKeysNamed(tx, user.id, KEY_NAME, key_hash));
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

export async function recordDisabledKeys(
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
