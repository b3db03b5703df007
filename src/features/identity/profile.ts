import { NexusError } from '../../contract/errors.ts';
import type { Principal, User } from '../../contract/identity.ts';
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

/** A key is given to programs, and must not be a way to become its owner for good. */
export function mayChooseFirst(beginning: sessionStore.Beginning | undefined): boolean {
  return beginning !== undefined && beginning.began_with !== 'api_key';
}

export type Profile = ReturnType<typeof createProfile>;

/** What people change about themselves. */
export function createProfile({ sql, users }: { sql: Database; users: Users }) {
  const limit = createSignInLimit(sql);

  /** A key that may do less than its person must not be a way to become them. */
  async function requireThemselves({ user_id, role }: Pick<Principal, 'user_id' | 'role'>) {
    const person = await profiles.findProfile(sql, user_id);
    if (person.role === role) return person;
    throw new NexusError('E_FORBIDDEN', 'This key may do less than you may; sign in without it first.');
  }

  async function rename(tx: Transaction, id: string, username: string): Promise<void> {
    const { former, is_bootstrap } = (await profiles.renameUser(tx, id, username)) ?? usernameTaken(username);
    if (former.toLowerCase() === username.toLowerCase()) return;
    refuseReservedUsername(username);
    if (is_bootstrap) {
      throw new NexusError('E_INVALID_STATE', `${former} is set up at every start, so its username stays.`);
    }
    if (await profiles.isReserved(tx, id, username)) usernameTaken(username);
    await profiles.reserveUsername(tx, id, former);
  }

  return {
    async update(
      principal: Pick<Principal, 'user_id' | 'role'>,
      { username, display_name }: { username?: string | undefined; display_name?: string | undefined },
      actor: Actor,
    ): Promise<User> {
      const { id: userId } = await requireThemselves(principal);
      return transaction(sql, async (tx) => {
        if (username !== undefined) await rename(tx, userId, username);
        return users.updateIn(tx, userId, { display_name }, actor);
      }).catch((error) => {
        // Somebody took the name at the same time.
        if (username !== undefined && error.code === UNIQUE_VIOLATION) usernameTaken(username);
        throw error;
      });
    },

    /**
     * All other sessions of the person end with the old password, and so do their sign-in links. Somebody who came with
     * a link within the hour may have forgotten the old one, and is not asked for it.
     */
    async changePassword(
      principal: Principal,
      { new_password, current_password }: { new_password: string; current_password?: string | undefined },
      actor: Actor,
    ): Promise<void> {
      const { session_id: sessionId } = principal;
      const { id: userId, username } = await requireThemselves(principal);
      const before = await profiles.findPassword(sql, username);
      const beginning = sessionId ? await sessionStore.findBeginning(sql, sessionId) : undefined;
      const cameByLink = beginning?.began_with === 'sign_in_link' && beginning.is_fresh;
      if (before?.password_hash == null && !mayChooseFirst(beginning)) {
        throw new NexusError(
          'E_FORBIDDEN',
          'An API key cannot set a first password. Sign in with a sign-in link; an admin can make one for you.',
        );
      }
      if (before?.password_hash != null && !cameByLink) {
        await limit.countChange(userId);
        if (!(await isPassword(current_password ?? '', before.password_hash)))
          throw new NexusError('E_FORBIDDEN', 'current_password is not your password.');
      }
      const passwordHash = await hashPassword(new_password);
      await transaction(sql, async (tx) => {
        const changed = await profiles.replacePassword(
          tx,
          userId,
          before?.password_hash ?? null,
          passwordHash,
        );
        if (!changed)
          throw new NexusError('E_INVALID_STATE', 'The password was changed just now. Try again.');
        const ended = await sessionStore.deleteSessionsOf(tx, userId, sessionId);
        await sessionStore.deleteSignInLinksOf(tx, userId);
        await recordAudit(tx, {
          action: 'password.changed',
          actor,
          details: { user_id: userId, ended_sessions: ended },
        });
      });
    },
  };
}
