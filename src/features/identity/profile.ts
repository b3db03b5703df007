import type { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { changePassword, updateMe } from '../../contract/session.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { hashPassword, isPassword } from './passwords.ts';
import * as profiles from './profile-store.ts';
import { refuseReservedUsername } from './reserved-usernames.ts';
import * as sessionStore from './session-store.ts';
import { createSignInLimit } from './sign-in-limit.ts';
import { type Users, usernameTaken } from './users.ts';

const UNIQUE_VIOLATION = '23505';

/** Whether a session may set a first password. A key must not: programs have it, and could take over the account. */
export function canSetFirstPassword(start: sessionStore.SessionStart | undefined): boolean {
  return start !== undefined && start.began_with !== 'api_key';
}

type Caller = Pick<Principal, 'user_id' | 'role'>;

export type Profile = ReturnType<typeof createProfile>;

/** Lets people change their own names and password. */
export function createProfile({ sql, users }: { sql: Database; users: Users }) {
  const limit = createSignInLimit(sql);

  /** Throws when the caller's role is lower than the user's: a restricted key must not take over the account. */
  async function requireFullRole({ user_id, role }: Caller) {
    const person = await profiles.findProfile(sql, user_id);
    if (person.role === role) return person;
    throw new NexusError(
      'E_FORBIDDEN',
      'This key has a lower role than you. Sign in without it to change your account.',
    );
  }

  async function rename(tx: Transaction, id: string, username: string): Promise<void> {
    const { former, is_bootstrap } = (await profiles.renameUser(tx, id, username)) ?? usernameTaken(username);
    if (former.toLowerCase() === username.toLowerCase()) return;
    refuseReservedUsername(username);
    if (is_bootstrap) {
      throw new NexusError(
        'E_INVALID_STATE',
        `The username ${former} belongs to a built-in user and cannot be changed.`,
      );
    }
    if (await profiles.isReserved(tx, id, username)) usernameTaken(username);
    await profiles.reserveUsername(tx, id, former);
  }

  return {
    async update(principal: Caller, { username, display_name }: z.output<typeof updateMe>, actor: Actor) {
      const { id: userId } = await requireFullRole(principal);
      return transaction(sql, async (tx) => {
        await users.requireVersion(tx, userId, actor);
        if (username !== undefined) await rename(tx, userId, username);
        return users.updateIn(tx, userId, { display_name }, { ...actor, requireVersion: undefined });
      }).catch((error) => {
        // Another transaction took the name in parallel.
        if (username !== undefined && error.code === UNIQUE_VIOLATION) usernameTaken(username);
        throw error;
      });
    },

    /**
     * Changes the password, and ends all other sessions and sign-in links. A user who signed in with a link within the
     * last hour may have forgotten the current password and does not need it.
     */
    async changePassword(
      principal: Principal,
      { new_password, current_password }: z.output<typeof changePassword>,
      actor: Actor,
    ): Promise<void> {
      const { session_id: sessionId } = principal;
      const { id: userId, username } = await requireFullRole(principal);
      const before = await profiles.findPassword(sql, username);
      const start = sessionId ? await sessionStore.findSessionStart(sql, sessionId) : undefined;
      const usedRecentLink = start?.began_with === 'sign_in_link' && start.is_recent;
      if (before?.password_hash == null && !canSetFirstPassword(start)) {
        throw new NexusError(
          'E_FORBIDDEN',
          'An API key cannot set a first password. Sign in with a sign-in link. An admin can create one for you.',
        );
      }
      if (before?.password_hash != null && !usedRecentLink) {
        await limit.countChange(userId);
        if (!(await isPassword(current_password ?? '', before.password_hash)))
          throw new NexusError('E_FORBIDDEN', 'Your current password is wrong.');
      }
      const passwordHash = await hashPassword(new_password);
      await transaction(sql, async (tx) => {
        const former = before?.password_hash ?? null;
        if (!(await profiles.replacePassword(tx, userId, former, passwordHash)))
          throw new NexusError('E_INVALID_STATE', 'The password was changed a moment ago. Try again.');
        const ended = await sessionStore.deleteSessionsOf(tx, userId, sessionId);
        await sessionStore.deleteSignInLinksOf(tx, userId);
        const details = { user_id: userId, ended_sessions: ended };
        await recordAudit(tx, { action: 'password.changed', actor, details });
      });
    },
  };
}
