import { randomBytes } from 'node:crypto';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Session, SignIn } from '../../contract/session.ts';
import { type Caller, recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { hashKey } from './api-keys.ts';
import type { Authentication } from './authentication.ts';
import { isPassword } from './passwords.ts';
import { mayChooseFirst } from './profile.ts';
import * as profiles from './profile-store.ts';
import type { Refusal, Refusals } from './refusals.ts';
import * as sessionStore from './session-store.ts';
import { createSignInLimit } from './sign-in-limit.ts';
import * as store from './store.ts';

export interface SessionsDependencies {
  sql: Database;
  authentication: Pick<Authentication, 'checkKey' | 'withSession' | 'findBySession'>;
  refusals: Refusals;
}

/** Who is let in, and by what. */
interface Admission {
  user_id: string;
  began_with: sessionStore.BeganWith;
  api_key_id: string | null;
}

/** Decides in the transaction that begins the session; what takes long has been done before. */
type Decide = (tx: Transaction) => Promise<Admission | Pick<Refusal, 'reason' | 'username'>>;

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ sql, authentication, refusals }: SessionsDependencies) {
  const limit = createSignInLimit(sql);

  async function withKey(plaintext: string): Promise<Decide> {
    const { key, refusal } = await authentication.checkKey(plaintext);
    if (refusal) return async () => ({ reason: refusal, username: key?.owner });
    return async () => ({ user_id: key.user_id, began_with: 'api_key', api_key_id: key.id });
  }

  /** The password may have been changed while this one was being checked; then it is the old one. */
  async function withPassword(username: string, password: string): Promise<Decide> {
    const person = await profiles.findPassword(sql, username);
    const isTheirs = await isPassword(password, person?.password_hash ?? null);
    if (!person) return async () => ({ reason: 'unknown' });
    return async (tx) => {
      const now = await profiles.holdPassword(tx, person.id);
      if (!isTheirs || now?.password_hash !== person.password_hash)
        return { reason: 'password', username: person.username };
      if (now.disabled_at !== null) return { reason: 'disabled', username: person.username };
      return { user_id: person.id, began_with: 'password', api_key_id: null };
    };
  }

  function withLink(token: string): Decide {
    return async (tx) => {
      const userId = await sessionStore.spendSignInLink(tx, hashKey(token));
      const user = userId && (await profiles.holdPassword(tx, userId));
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

  /**
   * Lets somebody in, or says the same no whatever is wrong, so that nobody learns who exists. `begun` adds to the
   * transaction what the session is kept with.
   */
  async function begin(
    given: SignIn,
    tokenHash: Buffer | null,
    caller: Caller,
    begun: (tx: Transaction, sessionId: string) => Promise<void>,
  ): Promise<{ session_id: string; expires_at: Date }> {
    const username = 'username' in given ? given.username : undefined;
    // Keys and links cannot be guessed, so only those that are no good are counted, below.
    if (username !== undefined) await limit.count(username, caller.address);
    const decide = await check(given);
    const outcome = await transaction(sql, async (tx) => {
      const admitted = await decide(tx);
      if ('reason' in admitted) return { refusal: admitted };
      const session = { ...admitted, id: newId(), token_hash: tokenHash };
      const { expires_at } = await sessionStore.insertSession(tx, session);
      await begun(tx, session.id);
      const owner = (await store.findUserById(tx, admitted.user_id))?.username ?? 'unknown';
      await recordAudit(tx, {
        action: 'session.created',
        actor: { name: owner, requestId: caller.requestId },
        details: { session_id: session.id, began_with: admitted.began_with, address: caller.address },
      });
      return { session_id: session.id, expires_at };
    });
    if (outcome.refusal) {
      if (username === undefined) await refusals.brake(caller);
      await refusals.record({ ...outcome.refusal, by: 'sign_in' }, caller);
      return refuse();
    }
    if (username !== undefined) await limit.forgive(username, caller.address);
    return outcome;
  }

  return {
    begin,

    /** Always under a new token: one that came with the request is never taken over, and what it was good for ends. */
    async signIn(given: SignIn, formerToken: string | undefined, caller: Caller) {
      const token = randomBytes(32).toString('base64url');
      const { expires_at } = await begin(given, hashKey(token), caller, async (tx) => {
        if (formerToken) await sessionStore.deleteSessionByToken(tx, hashKey(formerToken));
      });
      return { token, expires_at, principal: await authentication.withSession(token) };
    },

    /** At once, for every request that begins after it. */
    async signOut(token: string, caller: Caller): Promise<void> {
      await transaction(sql, async (tx) => {
        const ended = await sessionStore.deleteSessionByToken(tx, hashKey(token));
        if (!ended) return;
        await recordAudit(tx, {
          action: 'session.ended',
          actor: { name: ended.owner, requestId: caller.requestId },
          details: { session_id: ended.id },
        });
      });
    },

    describe,

    /** Null when nobody is signed in, or no longer. */
    async current(token: string | undefined): Promise<Session | null> {
      const principal = token && (await authentication.findBySession(token));
      return principal ? describe(principal) : null;
    },
  };

  async function describe(principal: Principal): Promise<Session> {
    const person = await profiles.findProfile(sql, principal.user_id);
    const { id, username, display_name, has_password } = person;
    const beginning = principal.session_id
      ? await sessionStore.findBeginning(sql, principal.session_id)
      : undefined;
    const cameByLink = beginning?.began_with === 'sign_in_link';
    return {
      user: { id, username, display_name, role: principal.role },
      default_library_id: principal.default_library_id,
      has_password,
      needs_onboarding: cameByLink && !has_password,
      needs_current_password: has_password && !(cameByLink && beginning.is_fresh),
      can_set_password: has_password || mayChooseFirst(beginning),
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
