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
  authentication: Pick<Authentication, 'admit'>;
  sessions: Pick<Sessions, 'begin'>;
  refusals: Refusals;
}

export type TokenService = ReturnType<typeof createTokens>;

/** Sessions of programs. Each refresh token is good for one refresh; all that come from one sign-in are a family. */
export function createTokens({ sql, accessTokens, authentication, sessions, refusals }: TokensDependencies) {
  async function answer(sessionId: string, refreshToken: string): Promise<Tokens> {
    const principal = await authentication.admit(await store.findSessionById(sql, sessionId));
    return {
      access_token: await accessTokens.write(principal),
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      refresh_token: refreshToken,
    };
  }

  /** Whoever shows a spent token, the thief or the one it was stolen from: from here on neither gets further. */
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
    async issue(
      given: { api_key: string } | { username: string; password: string },
      caller: Caller,
    ): Promise<Tokens> {
      const refreshToken = newRefreshToken();
      const { session_id } = await sessions.begin(given, null, caller, (tx, sessionId) =>
        store.insertRefreshToken(tx, sessionId, hashKey(refreshToken)),
      );
      return answer(session_id, refreshToken);
    },

    /**
     * The one who comes second at the same moment gets nothing, and nothing else happens: two windows of one program may
     * well do that. Whoever comes when it is known to be spent ends the family.
     */
    async refresh(given: string, caller: Caller): Promise<Tokens> {
      const token = await store.findRefreshToken(sql, hashKey(given));
      if (!token) {
        await refusals.brake(caller);
        await refusals.record({ reason: 'unknown', by: 'refresh' }, caller);
        return refuse();
      }
      if (token.is_spent) {
        await endFamily(token.session_id, caller);
        return refuse();
      }
      const refreshToken = newRefreshToken();
      const isOurs = await transaction(sql, (tx) => exchange(tx, token.session_id, given, refreshToken));
      return isOurs ? answer(token.session_id, refreshToken) : refuse();
    },

    /** Ends the family of the token, spent or not. */
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

  /** A session that is over spends nothing. */
  async function exchange(
    tx: Transaction,
    sessionId: string,
    spent: string,
    fresh: string,
  ): Promise<boolean> {
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
  throw new NexusError('E_UNAUTHENTICATED', 'This refresh token is not good, or no longer. Sign in again.');
}
