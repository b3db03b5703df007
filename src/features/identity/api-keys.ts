import { hash, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type {
  ApiKey,
  apiKeyListQuery,
  createApiKey,
  createMyApiKey,
  Principal,
  User,
} from '../../contract/identity.ts';
import { invalidField } from '../../contract/invalid-request.ts';
import { lowerRole, roleAllows } from '../../contract/roles.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';
import * as store from './store.ts';

const MAX_PREFIX_LENGTH = 8;

type NewKey = Omit<z.output<typeof createApiKey>, 'user_id' | 'username'>;

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys({ sql }: { sql: Database }) {
  /** Creates a key. Only its hash is stored, so this is the only time that the key itself is returned. */
  async function create(user: User, fields: NewKey, actor: Actor): Promise<ApiKey & { key: string }> {
    const role = fields.role ?? user.role;
    refusePast(fields.expires_at);
    if (!roleAllows(user.role, role)) {
      throw new NexusError(
        'E_KEY_ROLE_EXCEEDS_USER',
        `${user.username} has the role ${user.role}. Their keys cannot have the role ${role}.`,
      );
    }
    const key = `nxs_${randomBytes(32).toString('base64url')}`;
    return transaction(
      sql,
      async (tx) => {
        const {
          name,
          raw_mode_enabled,
          scopes = null,
          requests_per_minute = null,
          expires_at = null,
        } = fields;
        const rights = { role, raw_mode_enabled, scopes, requests_per_minute, expires_at };
        const visible = { id: newId(), user_id: user.id, name, prefix: visiblePrefix(key) };
        const created = await store.insertApiKey(tx, { ...visible, ...rights, key_hash: hashKey(key) });
        await recordKeyChange(tx, 'api_key.created', created, actor);
        return { ...created, key };
      },
      actor,
    );
  }

  /** Finds a key; with `userId`, only among the keys of this person. */
  async function get(id: string, userId?: string): Promise<ApiKey> {
    const key = await store.findApiKey(sql, id);
    return key && (userId === undefined || key.user_id === userId) ? key : keyNotFound(id);
  }

  return {
    create,
    get,

    /** Creates a key for the caller. It may do nothing that the caller's own credentials may not do, and ends with their key. */
    async createOwn(user: User, principal: Principal, fields: z.output<typeof createMyApiKey>, actor: Actor) {
      const missing = fields.scopes.filter((scope) => principal.scopes && !principal.scopes.includes(scope));
      if (missing.length > 0) {
        throw new NexusError('E_FORBIDDEN', `Your key has no scope ${missing.join(', ')} to pass on.`);
      }
      const role = lowerRole(user.role, principal.role);
      const limits = principal.api_key_id ? limitsFrom(await get(principal.api_key_id), fields) : {};
      return create(user, { ...fields, ...limits, role, raw_mode_enabled: false }, actor);
    },

    async list({ user_id, cursor, limit }: z.output<typeof apiKeyListQuery>) {
      const before = readCursor(cursor);
      const rows = await store.listApiKeys(sql, { userId: user_id, before, limit: limit + 1 });
      return cutPage(rows, limit);
    },

    /** Disables a key, effective with the next request. A disabled key does not change. */
    disable(id: string, actor: Actor): Promise<ApiKey> {
      const disable = async (tx: Transaction) => {
        const disabled = (await store.disableApiKey(tx, id)) ?? keyNotFound(id);
        const { was_enabled, ...key } = disabled;
        if (was_enabled) await recordKeyChange(tx, 'api_key.disabled', key, actor);
        else await auditKey(tx, 'api_key.disabled', key, actor);
        return key;
      };
      return transaction(sql, disable, actor);
    },

    /** Deletes a key with the sessions that began with it. */
    delete(id: string, actor: Actor): Promise<void> {
      return transaction(sql, async (tx) => {
        const key = (await store.deleteApiKey(tx, id)) ?? keyNotFound(id);
        if (key.is_enabled) await recordKeyChange(tx, 'api_key.disabled', key, actor);
        await auditKey(tx, 'api_key.deleted', key, actor);
      });
    },
  };
}

function keyNotFound(id: string): never {
  throw new NexusError('E_NOT_FOUND', `The API key ${id} does not exist.`);
}

function refusePast(expiresAt: Date | undefined): void {
  if (expiresAt && expiresAt.getTime() <= Date.now()) {
    throw invalidField('expires_at', 'must be in the future', 'too_small');
  }
}

/** Returns the end and the rate limit that a key passes on. The key that it makes may end earlier. */
function limitsFrom(
  { expires_at: end, requests_per_minute }: ApiKey,
  { expires_at }: Pick<NewKey, 'expires_at'>,
): Pick<NewKey, 'expires_at' | 'requests_per_minute'> {
  if (end && expires_at && expires_at > end) {
    const message = `must not be after ${end.toISOString()}, when the key of this request ends. Use another key, or sign in`;
    throw invalidField('expires_at', message, 'too_large');
  }
  return {
    expires_at: expires_at ?? end ?? undefined,
    requests_per_minute: requests_per_minute ?? undefined,
  };
}

/** Hashes a key. A plain hash is enough for 256 random bits, and allows a lookup by index. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Returns the visible prefix of a key: long enough to tell keys apart, at most a third of a short configured key. */
export function visiblePrefix(key: string): string {
  return key.slice(0, Math.min(MAX_PREFIX_LENGTH, Math.floor(key.length / 3)));
}

type KeyEvent = 'api_key.created' | 'api_key.disabled';

/** Records a change of a key in the audit log, and emits its event. */
export async function recordKeyChange(tx: Transaction, eventType: KeyEvent, key: ApiKey, actor: Actor) {
  await auditKey(tx, eventType, key, actor);
  const { id, user_id, owner, prefix, role } = key;
  const payload = { api_key_id: id, user_id, owner, prefix, role };
  const { requestId } = actor;
  await emitEvent(tx, { eventType, aggregateType: 'api_key', aggregateId: id, payload, requestId });
}

export async function auditKey(tx: Transaction, action: string, key: ApiKey, actor: Actor): Promise<void> {
  const { id: api_key_id, owner, prefix, role, raw_mode_enabled } = key;
  const details = { api_key_id, owner, prefix, role, raw_mode_enabled };
  await recordAudit(tx, { action, actor, details });
}
