import { createHash, randomBytes } from 'node:crypto';
import { NexusError } from '../../contract/errors.ts';
import type { ApiKey, User } from '../../contract/identity.ts';
import { type Role, roleAllows } from '../../contract/roles.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { emitApiKeyEvent } from './events.ts';
import * as store from './store.ts';

const MOST_VISIBLE_CHARACTERS = 8;

export interface CreateApiKey {
  name: string;
  role?: Role | undefined;
  raw_mode_enabled: boolean;
  requests_per_minute?: number | undefined;
  expires_at?: Date | undefined;
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys({ sql }: { sql: Database }) {
  return {
    /** The plaintext is in this answer and nowhere else, ever. */
    create(user: User, fields: CreateApiKey, actor: Actor): Promise<ApiKey & { key: string }> {
      const role = fields.role ?? user.role;
      if (!roleAllows(user.role, role)) {
        throw new NexusError(
          'E_KEY_ROLE_EXCEEDS_USER',
          `${user.username} has the role ${user.role}; a key of theirs cannot have ${role}.`,
        );
      }
      const key = `nxs_${randomBytes(32).toString('base64url')}`;
      return transaction(sql, async (tx) => {
        const created = await store.insertApiKey(tx, {
          id: newId(),
          user_id: user.id,
          name: fields.name,
          key_hash: hashKey(key),
          prefix: visiblePrefix(key),
          role,
          raw_mode_enabled: fields.raw_mode_enabled,
          requests_per_minute: fields.requests_per_minute ?? null,
          expires_at: fields.expires_at ?? null,
        });
        await recordAudit(tx, { action: 'api_key.created', actor, details: auditDetails(created) });
        await emitApiKeyEvent(tx, 'api_key.created', created, actor.requestId);
        return { ...created, key };
      });
    },

    async list(query: store.ApiKeyFilter & { cursor?: string | undefined; limit: number }) {
      const rows = await store.listApiKeys(sql, query, readCursor(query.cursor), query.limit + 1);
      const { rows: api_keys, page } = cutPage(rows, query.limit);
      return { api_keys, page };
    },

    /** Holds from the next request on. Disabling a disabled key changes nothing. */
    disable(id: string, actor: Actor): Promise<ApiKey> {
      return transaction(sql, async (tx) => {
        const disabled = await store.disableApiKey(tx, id);
        if (!disabled) throw new NexusError('E_NOT_FOUND', `There is no API key ${id}.`);
        const { was_enabled, ...key } = disabled;
        await recordAudit(tx, { action: 'api_key.disabled', actor, details: auditDetails(key) });
        if (was_enabled) await emitApiKeyEvent(tx, 'api_key.disabled', key, actor.requestId);
        return key;
      });
    },
  };
}

/** A key has 256 random bits, so a plain hash is enough, and it can be looked up by index. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Enough to tell one's keys apart, and never most of a short one that somebody chose. */
export function visiblePrefix(key: string): string {
  return key.slice(0, Math.min(MOST_VISIBLE_CHARACTERS, Math.floor(key.length / 3)));
}

export function auditDetails(key: ApiKey) {
  return {
    api_key_id: key.id,
    owner: key.owner,
    prefix: key.prefix,
    role: key.role,
    raw_mode_enabled: key.raw_mode_enabled,
  };
}
