import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Session, SignIn } from '../../contract/session.ts';
import { type Caller, type NewAuditEntry, recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { deleteOldRequests } from '../../platform/idempotency/idempotent-requests.ts';
import { newId } from '../../platform/ids.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../platform/jobs/job-type.ts';
import type { Periodic } from '../../platform/jobs/periodic/periodic.ts';
import { deleteIdleBuckets } from '../../platform/rate-limit/bucket.ts';
import { hashKey } from './api-keys.ts';
import type { Authentication } from './authentication.ts';
import { isPassword } from './passwords.ts';
import { canSetFirstPassword } from './profile.ts';
import * as profiles from './profile-store.ts';
import type { Refusal, Refusals } from './refusals.ts';
import * as sessionStore from './session-store.ts';
import { createSignInLimit } from './sign-in-limit.ts';
import * as store from './store.ts';

interface SessionsDependencies {
  sql: Database;
  authentication: Authentication;
  refusals: Refusals;
}

/** A user who may sign in, and the credential that they used. */
type Admission = Pick<sessionStore.NewSession, 'user_id' | 'began_with' | 'api_key_id'>;

/** Decides within the transaction that creates the session. Slow work, such as hashing, happens before it. */
type Decide = (tx: Transaction) => Promise<Admission | Pick<Refusal, 'reason' | 'username'>>;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ sql, authentication, refusals }: SessionsDependencies) {
  const limit = createSignInLimit(sql);

  async function withKey(plaintext: string): Promise<Decide> {
    const { key, refusal } = await authentication.checkKey(plaintext);
    if (refusal) return async () => ({ reason: refusal, username: key?.owner });
    return async () => ({ user_id: key.user_id, began_with: 'api_key', api_key_id: key.id });
  }

  /** Checks the password before the transaction. Inside it, checks that the password did not change meanwhile. */
  async function withPassword(username: string, password: string): Promise<Decide> {
    const person = await profiles.findPassword(sql, username);
    const isCorrect = await isPassword(password, person?.password_hash ?? null);
    if (!person) return async () => ({ reason: 'unknown' });
    return async (tx) => {
      const now = await profiles.lockPassword(tx, person.id);
      if (!isCorrect || now?.password_hash !== person.password_hash)
        return { reason: 'password', username: person.username };
      if (now.disabled_at !== null) return { reason: 'disabled', username: person.username };
      return { user_id: person.id, began_with: 'password', api_key_id: null };
    };
  }

  function withLink(token: string): Decide {
    return async (tx) => {
      const userId = await sessionStore.spendSignInLink(tx, hashKey(token));
      const user = userId && (await profiles.lockPassword(tx, userId));
      if (!user) return { reason: 'unknown' };
      if (user.disabled_at !== null) return { reason: 'disabled', username: user.username };
      return { user_id: user.id, began_with: 'sign_in_link', api_key_id: null };
    };
  }

  function check(given: SignIn): Decide | Promise<Decide> {
    if ('api_key' in given) return withKey(given.api_key);
    if ('sign_in_token' in given) return withLink(given.sign_in_token);
    return withPassword(given.username, given.password);
  }

  /** Creates a session; `onCreated` runs in its transaction. One error for every cause: nobody learns who exists. */
  async function begin(
    given: SignIn,
    tokenHash: Buffer | null,
    caller: Caller,
    onCreated: (tx: Transaction, sessionId: string) => Promise<void>,
  ): Promise<{ session_id: string; expires_at: Date }> {
    const username = 'username' in given ? given.username : undefined;
    // Only passwords can be guessed. Keys and links are counted below, when they are refused.
    if (username !== undefined) await limit.count(username, caller.address);
    const decide = await check(given);
    const outcome = await transaction(sql, async (tx) => {
      const admitted = await decide(tx);
      if ('reason' in admitted) return { refusal: admitted };
      const session = { ...admitted, id: newId(), token_hash: tokenHash };
      const { expires_at } = await sessionStore.insertSession(tx, session);
      await onCreated(tx, session.id);
      const owner = (await store.findUserById(tx, admitted.user_id))?.username ?? 'unknown';
      const actor = { name: owner, requestId: caller.requestId };
      const details = { session_id: session.id, began_with: admitted.began_with, address: caller.address };
      await recordAudit(tx, { action: 'session.created', actor, details });
      return { session_id: session.id, expires_at };
    });
    if (outcome.refusal) {
      if (username === undefined) await refusals.limit(caller);
      await refusals.record({ ...outcome.refusal, by: 'sign_in' }, caller);
      return refuse();
    }
    if (username !== undefined) await limit.reset(username, caller.address);
    return outcome;
  }

  /** Ends a session, effective for every request that starts afterwards. Does nothing when it has ended already. */
  async function end(
    key: sessionStore.SessionKey,
    { requestId }: Caller,
    entry: Pick<NewAuditEntry, 'action' | 'details'> = { action: 'session.ended' },
  ): Promise<void> {
    await transaction(sql, async (tx) => {
      const ended = await sessionStore.deleteSession(tx, key);
      if (!ended) return;
      const details = { session_id: ended.id, ...entry.details };
      await recordAudit(tx, { ...entry, actor: { name: ended.owner, requestId }, details });
    });
  }

  return {
    begin,

    /** Signs in with a new token, never the one of the request (session fixation), whose session ends. */
    async signIn(given: SignIn, formerToken: string | undefined, caller: Caller) {
      const token = randomBytes(32).toString('base64url');
      const { expires_at } = await begin(given, hashKey(token), caller, async (tx) => {
        if (formerToken) await sessionStore.deleteSession(tx, { tokenHash: hashKey(formerToken) });
      });
      return { token, expires_at, principal: await authentication.withSession(token) };
    },

    end,
    signOut: (token: string, caller: Caller) => end({ tokenHash: hashKey(token) }, caller),
    describe,

    /** Returns the session of a token; null when there is none or it has ended. */
    async current(token: string | undefined): Promise<Session | null> {
      const principal = token && (await authentication.findBySession(token));
      return principal ? describe(principal) : null;
    },
  };

  async function describe(principal: Principal): Promise<Session> {
    const { session_id, user_id } = principal;
    const { id, username, display_name, has_password } = await profiles.findProfile(sql, user_id);
    const start = session_id ? await sessionStore.findSessionStart(sql, session_id) : undefined;
    const usedLink = start?.began_with === 'sign_in_link';
    return {
      user: { id, username, display_name, role: principal.role },
      default_library_id: principal.default_library_id,
      has_password,
      needs_onboarding: usedLink && !has_password,
      needs_current_password: has_password && !(usedLink && start.is_recent),
      can_set_password: has_password || canSetFirstPassword(start),
      allowed_modes: principal.allowed_modes,
    };
  }
}

function refuse(): never {
  throw new NexusError(
    'E_UNAUTHENTICATED',
    'Wrong username, password, key or link. Check what you entered, or ask for a new sign-in link.',
  );
}

/** Deletes expired sessions and sign-in links, and rate-limit buckets that are full again. */
export function periodicSessionCleanup(sql: Database): Periodic {
  const type = defineJobType('session_cleanup', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler() {
      const deleted =
        (await sessionStore.deleteExpired(sql)) +
        (await deleteIdleBuckets(sql)) +
        (await deleteOldRequests(sql));
      return { result: { deleted } };
    },
  });
  return { type, everySeconds: 3600 };
}
