import { randomBytes } from 'node:crypto';
import { NexusError } from '../../contract/errors.ts';
import type { Tokens } from '../../contract/session.ts';
import { type Caller, recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './access-token.ts';
import { hashKey } from './api-keys.ts';
import type { Authentication } from './authentication.ts';
import type { Refusals } from './refusals.ts';
import * as store from './session-store.ts';
import type { Sessions } from './sessions.ts';

export interface TokensDependencies {
  sql: Database;
  accessTokens: AccessTokens;
  authentication: Pick<Authentication, 'requireSession'>;
  sessions: Pick<Sessions, 'begin'>;
  refusals: Refusals;
}

export type TokenService = ReturnType<typeof createTokens>;

/** Sessions of programs. Each refresh token can be used once; all tokens of one sign-in are a family. */
export function createTokens({ sql, accessTokens, authentication, sessions, refusals }: TokensDependencies) {
  async function toTokens(sessionId: string, refreshToken: string): Promise<Tokens> {
    const principal = await authentication.requireSession(await store.findSessionById(sql, sessionId));
    return {
      access_token: await accessTokens.write(principal),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
    };
  }

  /** Ends the session after a spent token was used again: one of the two users of the token may be a thief. */
  async function endFamily(sessionId: string, caller: Caller): Promise<void> {
    await transaction(sql, async (tx) => {
      const ended = await store.deleteSessionById(tx, sessionId);
      if (!ended) return;
      await recordAudit(tx, {
        action: 'auth.refresh_token_reused',
        actor: { name: ended.owner, requestId: caller.requestId },
        details: { session_id: ended.id, address: caller.address },
      });
    });
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
        await endFamily(token.session_id, caller);
        return refuse();
      }
      const refreshToken = newRefreshToken();
      const isExchanged = await transaction(sql, (tx) => exchange(tx, token.session_id, given, refreshToken));
      return isExchanged ? toTokens(token.session_id, refreshToken) : refuse();
    },

    /** Ends the family of a token, also of a spent one. */
    async revoke(given: string, caller: Caller): Promise<void> {
      await transaction(sql, async (tx) => {
        const token = await store.findRefreshToken(tx, hashKey(given));
        const ended = token && (await store.deleteSessionById(tx, token.session_id));
        if (!ended) return;
        await recordAudit(tx, {
          action: 'session.ended',
          actor: { name: ended.owner, requestId: caller.requestId },
          details: { session_id: ended.id },
        });
      });
    },
  };

  /** Replaces a refresh token. Returns false when the session has ended or the token was spent in parallel. */
  async function exchange(tx: Transaction, sessionId: string, spent: string, fresh: string) {
    const session = await store.findSessionById(tx, sessionId);
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
