import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import { lowerRole, type Mode, type Role, roleAllows } from '../../contract/roles.ts';
import { type Actor, type Caller, recordAudit } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { createAllotments } from '../../platform/rate-limit/allotments.ts';
import { hashKey } from './api-keys.ts';
import type { Refusals } from './refusals.ts';
import {
  findSessionById,
  findSessionByToken,
  type PresentedSession,
  recordSessionUse,
} from './session-store.ts';
import * as store from './store.ts';
import { isWellKnownKey } from './well-known-keys.ts';

export type Authentication = ReturnType<typeof createAuthentication>;

export interface AuthenticationDependencies {
  sql: Database;
  rawModeEnabled: boolean;
  /** Whether the keys that everybody knows open anything here. */
  acceptsWellKnownKeys: boolean;
  /** The session that an access token names; undefined when the token is not ours, or no longer good. */
  readAccessToken(token: string): Promise<string | undefined>;
  refusals: Refusals;
  requestsPerMinute: Record<Role, number>;
}

const REFUSALS = {
  unknown: 'This API key is not known here.',
  disabled: 'This API key or its user is disabled.',
  expired: 'This API key has expired.',
};

export type CheckedKey =
  | { key: store.PresentedKey; refusal?: undefined }
  | { key?: store.PresentedKey; refusal: keyof typeof REFUSALS };

/** What a key and a session have in common. */
interface Credential
  extends Pick<
    PresentedSession,
    | 'api_key_id'
    | 'user_id'
    | 'owner'
    | 'user_role'
    | 'key_role'
    | 'raw_mode_enabled'
    | 'requests_per_minute'
    | 'default_library_id'
  > {
  session_id: string | null;
}

export function createAuthentication({
  sql,
  rawModeEnabled,
  acceptsWellKnownKeys,
  readAccessToken,
  refusals,
  requestsPerMinute,
}: AuthenticationDependencies) {
  const allotments = createAllotments({ sql });

  async function refuseKey(
    reason: keyof typeof REFUSALS,
    caller: Caller,
    key?: store.PresentedKey,
  ): Promise<never> {
    await refusals.brake(caller);
    await refusals.record({ reason, username: key?.owner, api_key_id: key?.id }, caller);
    throw new NexusError('E_UNAUTHENTICATED', REFUSALS[reason]);
  }

  /** Whether the key would be let in now, and why not. */
  async function checkKey(plaintext: string): Promise<CheckedKey> {
    const isRefusedUnseen = !acceptsWellKnownKeys && isWellKnownKey(plaintext);
    const key = isRefusedUnseen ? undefined : await store.findPresentedKey(sql, hashKey(plaintext));
    if (!key) return { refusal: 'unknown' };
    if (key.is_disabled) return { key, refusal: 'disabled' };
    if (key.is_expired) return { key, refusal: 'expired' };
    return { key };
  }

  function principalFrom(credential: Credential): Principal {
    const { api_key_id, session_id, user_id, owner, raw_mode_enabled, default_library_id } = credential;
    const role = lowerRole(credential.key_role ?? credential.user_role, credential.user_role);
    const hasRaw = rawModeEnabled && raw_mode_enabled && roleAllows(role, 'researcher');
    return {
      api_key_id,
      session_id,
      user_id,
      owner,
      role,
      raw_mode_enabled,
      allowed_modes: hasRaw ? ['PUBLIC', 'RAW'] : ['PUBLIC'],
      default_library_id,
      requests_per_minute: credential.requests_per_minute ?? requestsPerMinute[role],
    };
  }

  /** Somebody who signed in has their own role, or that of the key they signed in with if it is lower. */
  async function recognise(session: PresentedSession | undefined): Promise<Principal | undefined> {
    if (!session || session.is_over) return undefined;
    if (session.is_use_due) await recordSessionUse(sql, session.id);
    return principalFrom({ ...session, session_id: session.id });
  }

  async function admit(session: PresentedSession | undefined): Promise<Principal> {
    const principal = await recognise(session);
    if (principal) return principal;
    throw new NexusError('E_UNAUTHENTICATED', 'You are not signed in, or no longer. Sign in again.');
  }

  return {
    checkKey,
    admit,

    async withApiKey(plaintext: string, caller: Caller): Promise<Principal> {
      const { key, refusal } = await checkKey(plaintext);
      if (refusal) return refuseKey(refusal, caller, key);
      if (key.is_use_due) await store.recordKeyUse(sql, key.id);
      return principalFrom({ ...key, api_key_id: key.id, session_id: null });
    },

    async withSession(token: string): Promise<Principal> {
      return admit(await findSessionByToken(sql, hashKey(token)));
    },

    /** For who asks whether somebody is signed in, and takes no for an answer. */
    async findBySession(token: string): Promise<Principal | undefined> {
      return recognise(await findSessionByToken(sql, hashKey(token)));
    },

    /** An access token names its session, and is worth what that is worth now. */
    async withAccessToken(token: string): Promise<Principal> {
      const sessionId = await readAccessToken(token);
      return admit(sessionId === undefined ? undefined : await findSessionById(sql, sessionId));
    },

    /** For each key; for somebody who signed in without one, for the person. A full bucket lasts for a minute. */
    async limitRate({ api_key_id, user_id, requests_per_minute }: Principal): Promise<void> {
      const limit = { capacity: requests_per_minute, perSecond: requests_per_minute / 60 };
      const wait = await allotments.take(`requests:${api_key_id ?? user_id}`, limit);
      if (wait === 0) return;
      throw new NexusError(
        'E_RATE_LIMITED',
        `More than ${requests_per_minute} requests a minute. Try again in ${wait} seconds.`,
        { retryAfterSeconds: wait },
      );
    },

    async requireRole(principal: Principal, minimum: Role, actor: Actor, target: string): Promise<void> {
      if (roleAllows(principal.role, minimum)) return;
      await recordAudit(sql, {
        action: 'auth.role_refused',
        actor,
        details: { role: principal.role, minimum_role: minimum, target },
      });
      throw new NexusError('E_FORBIDDEN', `This needs the role ${minimum}; you have ${principal.role}.`);
    },

    /** For whatever takes a mode from its caller: PUBLIC passes always, RAW only under its three conditions. */
    async requireMode(principal: Principal, mode: Mode, actor: Actor): Promise<void> {
      if (principal.allowed_modes.includes(mode)) return;
      await recordAudit(sql, { action: 'auth.mode_refused', actor, mode, details: { role: principal.role } });
      throw new NexusError(
        'E_MODE_FORBIDDEN',
        'RAW mode needs the role researcher or above, a key with raw_mode_enabled, and NEXUS_RAW_MODE_ENABLED on the server.',
      );
    },
  };
}
