import type { User } from '../../contract/identity.ts';
import type { Role } from '../../contract/roles.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { type ApiKeys, auditDetails, hashKey, visiblePrefix } from './api-keys.ts';
import { BOOTSTRAP_ROLES, bootstrapUsername, developmentKey } from './development-keys.ts';
import { tellApiKey } from './events.ts';
import * as store from './store.ts';
import type { Users } from './users.ts';

export interface BootstrapKey {
  role: Role;
  key: string;
}

const RAW_ROLES: Role[] = ['researcher', 'admin'];
const KEY_NAME = 'bootstrap';
const SYSTEM = { name: 'system' };

/**
 * Ensures one user `dev-<role>` who has the role and the key of each entry, and no earlier key of this kind. Starting
 * twice, or twice at once, changes nothing.
 */
export async function seedBootstrapKeys(sql: Database, users: Users, keys: BootstrapKey[]): Promise<void> {
  for (const entry of keys) {
    await transaction(sql, async (tx) => {
      const user = await ensureUser(tx, users, entry.role);
      await ensureKey(tx, user, entry);
    });
  }
}

async function ensureUser(tx: Transaction, users: Users, role: Role): Promise<User> {
  const username = bootstrapUsername(role);
  await users.insertWithLibrary(tx, { username, role }, SYSTEM);
  const user = await store.lockUserByName(tx, username);
  if (!user) throw new Error(`The user ${username} could not be made.`);
  if (user.role === role && user.disabled_at === null) return user;
  return users.updateIn(tx, user.id, { role, disabled: false }, SYSTEM);
}

/** The user's row is locked, so of two processes that start at once one writes and the other finds it done. */
async function ensureKey(tx: Transaction, user: User, { role, key }: BootstrapKey): Promise<void> {
  const key_hash = hashKey(key);
  const raw_mode_enabled = RAW_ROLES.includes(role);
  const existing = await store.findApiKeyByHash(tx, key_hash);
  if (existing && existing.user_id !== user.id) {
    throw new Error(
      `NEXUS_BOOTSTRAP_${role.toUpperCase()}_KEY is the key of ${existing.owner} already. Choose another for ${user.username}.`,
    );
  }
  for (const outdated of await store.disableKeysNamed(tx, user.id, KEY_NAME, key_hash)) {
    await recordAudit(tx, { action: 'api_key.disabled', actor: SYSTEM, details: auditDetails(outdated) });
    await tellApiKey(tx, 'api_key.disabled', outdated);
  }
  if (!existing) {
    const prefix = visiblePrefix(key);
    const fields = {
      id: newId(),
      user_id: user.id,
      name: KEY_NAME,
      key_hash,
      prefix,
      role,
      raw_mode_enabled,
      requests_per_minute: null,
      expires_at: null,
    };
    const created = await store.insertApiKey(tx, fields);
    await recordAudit(tx, { action: 'api_key.created', actor: SYSTEM, details: auditDetails(created) });
    await tellApiKey(tx, 'api_key.created', created);
  } else if (!existing.enabled || existing.role !== role || existing.raw_mode_enabled !== raw_mode_enabled) {
    const enabled = await store.enableApiKey(tx, existing.id, role, raw_mode_enabled);
    await recordAudit(tx, { action: 'api_key.enabled', actor: SYSTEM, details: auditDetails(enabled) });
  }
}

/** A database that was used for development must not go into production with its well-known keys still open. */
export async function refuseDevelopmentKeys(sql: Database): Promise<void> {
  const open = await store.findOpenKeys(sql, BOOTSTRAP_ROLES.map(developmentKey).map(hashKey));
  if (open.length === 0) return;
  throw new Error(
    `NEXUS_ENV is prod, and the database still accepts the well-known development keys of ${open
      .map((key) => key.owner)
      .join(', ')}. Close them with \`nexus keys disable --development\`.`,
  );
}

export async function disableDevelopmentKeys(apiKeys: ApiKeys, actor: Actor): Promise<number> {
  const ids = await apiKeys.findEnabled(BOOTSTRAP_ROLES.map(developmentKey));
  for (const id of ids) await apiKeys.disable(id, actor);
  return ids.length;
}
