import type { ApiKey, User } from '../../contract/identity.ts';
import type { Role } from '../../contract/roles.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { auditKey, hashKey, recordKeyChange, visiblePrefix } from './api-keys.ts';
import * as bootstrapped from './bootstrap-store.ts';
import { deleteSessionsOf, deleteSignInLinksOf } from './session-store.ts';
import * as store from './store.ts';
import { type Users, undefinedIf } from './users.ts';
import { BOOTSTRAP_ROLES, bootstrapUsername, wellKnownKey } from './well-known-keys.ts';

export interface BootstrapKey {
  role: Role;
  key: string;
  /** Whether an environment variable sets the key. Then an error while seeding it stops the start. */
  isConfigured: boolean;
  /** Whether other bootstrap keys of the user stay valid, because other data directories share the database. */
  keepsOthers: boolean;
}

interface BootstrapDependencies {
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
    // A former username stays reserved for the person who had it.
    const seeded = await transaction(sql, async (tx) => {
      const user = await ensureUser(tx, users, entry.role, env);
      if (user) await ensureKey(tx, user, entry);
      return user;
    }).catch(undefinedIf('E_USERNAME_TAKEN'));
    if (seeded) continue;
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
  return users.updateIn(tx, user.id, { role, is_enabled: true }, SYSTEM);
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
    const visible = { id: newId(), user_id: user.id, name: KEY_NAME, prefix: visiblePrefix(key) };
    const rights = { role, raw_mode_enabled, scopes: null, requests_per_minute: null, expires_at: null };
    const created = await store.insertApiKey(tx, { ...visible, ...rights, key_hash });
    await recordKeyChange(tx, 'api_key.created', created, SYSTEM);
  } else if (
    !existing.is_enabled ||
    existing.role !== role ||
    existing.raw_mode_enabled !== raw_mode_enabled
  ) {
    const enabled = await bootstrapped.enableApiKey(tx, existing.id, role, raw_mode_enabled);
    await auditKey(tx, 'api_key.enabled', enabled, SYSTEM);
  }
}

async function recordDisabledKeys(tx: Transaction, keys: ApiKey[]): Promise<void> {
  for (const key of keys) await recordKeyChange(tx, 'api_key.disabled', key, SYSTEM);
}

function variableOf(role: Role): string {
  return `NEXUS_BOOTSTRAP_${role.toUpperCase()}_KEY`;
}

/** Disables the publicly known test keys of all users. Only NEXUS_ENV=test accepts them. */
export async function disableWellKnownKeys(sql: Database): Promise<void> {
  await transaction(sql, async (tx) => {
    const hashes = BOOTSTRAP_ROLES.map(wellKnownKey).map(hashKey);
    await recordDisabledKeys(tx, await bootstrapped.disableKeysByHash(tx, hashes));
  });
}

/**
 * Runs at the first start in production on a database that was used for development. Disables the users that bootstrap
 * created there, and deletes their passwords, sessions, links and keys. A bootstrap key that is configured for production
 * enables its user again later, with that key only. Returns the usernames.
 */
export async function retireDevelopmentPeople(sql: Database, users: Pick<Users, 'revokeInvitations'>) {
  return transaction(sql, async (tx) => {
    const people = await bootstrapped.retirePeople(tx);
    for (const { id, username } of people) {
      const ended = await deleteSessionsOf(tx, id, null);
      await deleteSignInLinksOf(tx, id);
      await recordDisabledKeys(tx, await bootstrapped.disableKeysOf(tx, id));
      await users.revokeInvitations(tx, id);
      const details = { user_id: id, username, ended_sessions: ended };
      await recordAudit(tx, { action: 'user.retired', actor: SYSTEM, details });
    }
    return people.map(({ username }) => username);
  });
}
