import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import {
  lowerRole,
  type Mode,
  type Role,
  roleAllows,
  roleOfScopes,
  type Scope,
} from '../../contract/roles.ts';
import { type Actor, type Caller, recordAudit } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { shareLookups } from '../../platform/database/shared-lookup.ts';
import { createRateLimiter } from '../../platform/rate-limit/rate-limiter.ts';
import { hashKey } from './api-keys.ts';
import type { Refusals } from './refusals.ts';
import * as sessions from './session-store.ts';
import * as store from './store.ts';
import { isWellKnownKey } from './well-known-keys.ts';

export type Authentication = ReturnType<typeof createAuthentication>;

interface AuthenticationDependencies {
  sql: Database;
  rawModeEnabled: boolean;
  /** Whether the publicly known test keys are accepted. */
  acceptsWellKnownKeys: boolean;
  /** Returns the session id of an access token; undefined when the token is invalid or expired. */
  readAccessToken(token: string): Promise<string | undefined>;
  refusals: Refusals;
  requestsPerMinute: Record<Role, number>;
}

const REFUSALS = {
  unknown: 'This API key does not exist.',
  disabled: 'This API key or its user is disabled.',
  expired: 'This API key has expired.',
};

type CheckedKey =
  | { key: store.PresentedKey; refusal?: undefined }
  | { key?: store.PresentedKey; refusal: keyof typeof REFUSALS };

export function createAuthentication({ sql, refusals, ...options }: AuthenticationDependencies) {
  const limiter = createRateLimiter({ sql });
  const findKey = shareLookups(
    (hash: Buffer) => store.findPresentedKey(sql.lookups, hash),
    (hash) => hash.toString('base64'),
  );
  const findSession = shareLookups(
    (key: sessions.SessionKey) => sessions.findSession(sql.lookups, key),
    (key) => ('id' in key ? key.id : key.tokenHash.toString('base64')),
  );

  async function refuseKey(
    reason: keyof typeof REFUSALS,
    caller: Caller,
    key?: store.PresentedKey,
  ): Promise<never> {
    await refusals.limit(caller);
    await refusals.record({ reason, username: key?.owner, api_key_id: key?.id }, caller);
    throw new NexusError('E_UNAUTHENTICATED', REFUSALS[reason]);
  }

  /** Looks up a key, and says why it would be refused, if it would. */
  async function checkKey(plaintext: string): Promise<CheckedKey> {
    const isForbidden = !options.acceptsWellKnownKeys && isWellKnownKey(plaintext);
    const key = isForbidden ? undefined : await findKey(hashKey(plaintext));
    if (!key) return { refusal: 'unknown' };
    if (key.is_disabled) return { key, refusal: 'disabled' };
    if (key.is_expired) return { key, refusal: 'expired' };
    return { key };
  }

  function principalFrom(
    { user_role, key_role, ...rights }: store.Rights,
    credential: Pick<Principal, 'api_key_id' | 'session_id'>,
  ): Principal {
    const { user_id, owner, raw_mode_enabled, scopes, default_library_id } = rights;
    const ofKey = lowerRole(key_role ?? user_role, user_role);
    const role = scopes === null ? ofKey : lowerRole(ofKey, roleOfScopes(scopes));
    const hasRaw = options.rawModeEnabled && raw_mode_enabled && roleAllows(role, 'researcher');
    return {
      ...credential,
      user_id,
      owner,
      role,
      raw_mode_enabled,
      allowed_modes: hasRaw ? ['PUBLIC', 'RAW'] : ['PUBLIC'],
      scopes,
      default_library_id,
      requests_per_minute: rights.requests_per_minute ?? options.requestsPerMinute[role],
    };
  }

  /** Returns the principal of a session. A session that began with a key has the lower role of key and user. */
  async function findPrincipal(session: sessions.PresentedSession | undefined) {
    if (!session || session.is_over) return undefined;
    if (session.is_use_due) await sessions.recordSessionUse(sql, session.id);
    return principalFrom(session, { api_key_id: session.api_key_id, session_id: session.id });
  }

  async function requireSession(session: sessions.PresentedSession | undefined): Promise<Principal> {
    const principal = await findPrincipal(session);
    if (principal) return principal;
    throw new NexusError(
      'E_UNAUTHENTICATED',
      'You are not signed in, or your session has ended. Sign in again.',
    );
  }

  return {
    checkKey,
    requireSession,

    async withApiKey(plaintext: string, caller: Caller): Promise<Principal> {
      const { key, refusal } = await checkKey(plaintext);
      if (refusal) return refuseKey(refusal, caller, key);
      if (key.is_use_due) await store.recordKeyUse(sql, key.id);
      return principalFrom(key, { api_key_id: key.id, session_id: null });
    },

    async withSession(token: string): Promise<Principal> {
      return requireSession(await findSession({ tokenHash: hashKey(token) }));
    },

    /** Returns the principal of a session token; undefined when the session does not exist or has ended. */
    async findBySession(token: string): Promise<Principal | undefined> {
      return findPrincipal(await findSession({ tokenHash: hashKey(token) }));
    },

    /** Authenticates with an access token. The rights are those that its session has now. */
    async withAccessToken(token: string): Promise<Principal> {
      const id = await options.readAccessToken(token);
      return requireSession(id === undefined ? undefined : await findSession({ id }));
    },

    /** Limits requests per key, or per user when there is no key. The bucket holds the requests of one minute. */
    async limitRate({ api_key_id, user_id, requests_per_minute }: Principal) {
      const limit = { capacity: requests_per_minute, perSecond: requests_per_minute / 60 };
      const { wait, ...left } = await limiter.take(`requests:${api_key_id ?? user_id}`, limit);
      const allowance = { limit: requests_per_minute, ...left };
      if (wait === 0) return allowance;
      const refusal = new NexusError(
        'E_RATE_LIMITED',
        `Too many requests: the limit is ${requests_per_minute} per minute. Try again in ${wait} seconds.`,
        { retryAfterSeconds: wait },
      );
      return { ...allowance, refusal };
    },

    /** Checks what the key may be used for. A caller without a key, and a key without scopes, may do both. */
    requireScope({ scopes }: Principal, scope: Scope): void {
      if (scopes === null || scopes.includes(scope)) return;
      throw new NexusError('E_FORBIDDEN', `This key has no scope ${scope}. Use a key that has it.`);
    },

    async requireRole(principal: Principal, minimum: Role, actor: Actor, target: string): Promise<void> {
      if (roleAllows(principal.role, minimum)) return;
      const { role } = principal;
      const details = { role, minimum_role: minimum, target };
      await recordAudit(sql, { action: 'auth.role_refused', actor, details });
      throw new NexusError('E_FORBIDDEN', `This requires the role ${minimum}. Your role is ${role}.`);
    },

    /** Checks the mode that a caller requests. PUBLIC is always allowed, RAW only under its three conditions. */
    async requireMode(principal: Principal, mode: Mode, actor: Actor): Promise<void> {
      if (principal.allowed_modes.includes(mode)) return;
      await recordAudit(sql, { action: 'auth.mode_refused', actor, mode, details: { role: principal.role } });
      throw new NexusError(
        'E_MODE_FORBIDDEN',
        'RAW mode requires the role researcher or higher, a key with raw_mode_enabled, and RAW mode enabled on the server.',
      );
    },
  };
}
