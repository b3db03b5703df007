import { randomBytes } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Tokens } from '../../contract/session.ts';
import type { Caller } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { hashKey } from './api-keys.ts';
import type { Authentication } from './authentication.ts';
import type { Refusals } from './refusals.ts';
import * as store from './session-store.ts';
import type { Sessions } from './sessions.ts';

const ISSUER = 'nexus';
const ALGORITHM = 'HS256';
const TYPE = 'at+jwt';

const ACCESS_TOKEN_SECONDS = 15 * 60;

type AccessTokens = ReturnType<typeof createAccessTokens>;

/** Short-lived JWTs that programs send instead of an API key. */
export function createAccessTokens(secret: () => Promise<Uint8Array>) {
  return {
    async write({ user_id, session_id, role, allowed_modes }: Principal): Promise<string> {
      return new SignJWT({ role, modes: allowed_modes, sid: session_id })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setIssuer(ISSUER)
        .setSubject(user_id)
        .setJti(newId())
        .setIssuedAt()
        .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
        .sign(await secret());
    },

    /** Returns the session id of a token; undefined when the token is invalid or expired. */
    async read(token: string): Promise<string | undefined> {
      const key = await secret();
      const options = {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        typ: TYPE,
        requiredClaims: ['sub', 'sid', 'exp', 'jti'],
      };
      const verified = await jwtVerify(token, key, options).catch(undefinedIfInvalid);
      const sid = verified?.payload.sid;
      return typeof sid === 'string' ? sid : undefined;
    },
  };
}

function undefinedIfInvalid(error: unknown): undefined {
  if (!(error instanceof errors.JOSEError)) throw error;
}

interface TokensDependencies {
  sql: Database;
  accessTokens: AccessTokens;
  authentication: Pick<Authentication, 'requireSession'>;
  sessions: Pick<Sessions, 'begin' | 'end'>;
  refusals: Refusals;
}

export type TokenService = ReturnType<typeof createTokens>;

/** Sessions of programs. Each refresh token can be used once; all tokens of one sign-in are a family. */
export function createTokens({ sql, accessTokens, authentication, sessions, refusals }: TokensDependencies) {
  async function toTokens(sessionId: string, refreshToken: string): Promise<Tokens> {
    const principal = await authentication.requireSession(await store.findSession(sql, { id: sessionId }));
    return {
      access_token: await accessTokens.write(principal),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
    };
  }

  return {
    async issue(given: { api_key: string } | { username: string; password: string }, caller: Caller) {
      const refreshToken = newRefreshToken();
      const { session_id } = await sessions.begin(given, null, caller, (tx, sessionId) =>
        store.insertRefreshToken(tx, sessionId, hashKey(refreshToken)),
      );
      return toTokens(session_id, refreshToken);
    },

    /**
     * Exchanges a refresh token for new tokens. Of parallel requests with the same token, one succeeds and the others are
     * refused without further effect, because two windows of one program may do that. A token that was already spent
     * before the request ends the family.
     */
    async refresh(given: string, caller: Caller): Promise<Tokens> {
      const token = await store.findRefreshToken(sql, hashKey(given));
      if (!token) {
        await refusals.limit(caller);
        await refusals.record({ reason: 'unknown', by: 'refresh' }, caller);
        return refuse();
      }
      if (token.is_spent) {
        // One of the two users of the token may be a thief.
        const entry = { action: 'auth.refresh_token_reused', details: { address: caller.address } };
        await sessions.end({ id: token.session_id }, caller, entry);
        return refuse();
      }
      const refreshToken = newRefreshToken();
      const isExchanged = await transaction(sql, (tx) => exchange(tx, token.session_id, given, refreshToken));
      return isExchanged ? toTokens(token.session_id, refreshToken) : refuse();
    },

    /** Ends the family of a token, also of a spent one. */
    async revoke(given: string, caller: Caller): Promise<void> {
      const token = await store.findRefreshToken(sql, hashKey(given));
      if (token) await sessions.end({ id: token.session_id }, caller);
    },
  };

  /** Replaces a refresh token. Returns false when the session has ended or the token was spent in parallel. */
  async function exchange(tx: Transaction, sessionId: string, spent: string, fresh: string) {
    const session = await store.findSession(tx, { id: sessionId });
    if (!session || session.is_over) return false;
    if (!(await store.spendRefreshToken(tx, hashKey(spent)))) return false;
    await store.insertRefreshToken(tx, sessionId, hashKey(fresh));
    await store.touchSession(tx, sessionId);
    return true;
  }
}

function newRefreshToken(): string {
  return `nxr_${randomBytes(32).toString('base64url')}`;
}

function refuse(): never {
  throw new NexusError('E_UNAUTHENTICATED', 'This refresh token is not valid. Sign in again.');
}
