import type { Role } from '../../contract/roles.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { type ApiKeys, auditDetails, hashKey, visiblePrefix } from './api-keys.ts';
import * as store from './store.ts';
import type { Users } from './users.ts';

export const BOOTSTRAP_ROLES = ['viewer', 'operator', 'researcher', 'admin'] as const;
type BootstrapRole = (typeof BOOTSTRAP_ROLES)[number];

const RAW_ROLES: Role[] = ['researcher', 'admin'];
const SYSTEM = { name: 'system' };

/** The keys that README and tutorials use. Everybody knows them, so they open nothing outside development. */
export function developmentKey(role: BootstrapRole): string {
  return `nexus-dev-${role}-key`;
}

export function isDevelopmentKey(key: string): boolean {
  return BOOTSTRAP_ROLES.some((role) => developmentKey(role) === key);
}

/** Ensures one user `dev-<role>` with the given key for each entry; starting twice, or twice at once, changes nothing. */
export async function seedBootstrapKeys(
  sql: Database,
  users: Users,
  keys: { role: Role; key: string }[],
): Promise<void> {
  for (const { role, key } of keys) {
    await transaction(sql, async (tx) => {
      const username = `dev-${role}`;
      const user =
        (await store.findUserByName(tx, username)) ??
        (await users.insertWithLibrary(tx, { username, role }, SYSTEM)) ??
        (await store.findUserByName(tx, username));
      if (!user) throw new Error(`The user ${username} could not be made.`);
      const id = newId();
      const created = await store.upsertApiKey(tx, {
        id,
        user_id: user.id,
        name: 'bootstrap',
        key_hash: hashKey(key),
        prefix: visiblePrefix(key),
        role,
        raw_mode_enabled: RAW_ROLES.includes(role),
        expires_at: null,
      });
      if (created.id === id) {
        await recordAudit(tx, { action: 'api_key.created', actor: SYSTEM, details: auditDetails(created) });
      }
    });
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
