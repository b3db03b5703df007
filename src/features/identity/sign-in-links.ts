import { randomBytes } from 'node:crypto';
import { NexusError } from '../../contract/errors.ts';
import type { User } from '../../contract/identity.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { hashKey } from './api-keys.ts';
import * as profiles from './profile-store.ts';
import { insertSignInLink } from './session-store.ts';
import type { Users } from './users.ts';

const LIFETIME_HOURS = 24;
/** The first of these that nobody has, or has had, is the first admin's username. */
const FIRST_ADMIN = ['admin', ...Array.from({ length: 20 }, (_, index) => `admin-${index + 2}`)];
const SYSTEM = { name: 'system' };

export interface SignInLink {
  username: string;
  /** Below the address of this Nexus. The token stands behind the #, so that no server and no log sees it. */
  path: string;
  expires_at: Date;
}

export type SignInLinks = ReturnType<typeof createSignInLinks>;

/** Links that sign somebody in once: the first admin, a new colleague, somebody who forgot the password. */
export function createSignInLinks({ sql, users }: { sql: Database; users: Users }) {
  function create(user: Pick<User, 'id' | 'username'>, actor: Actor): Promise<SignInLink> {
    const token = randomBytes(32).toString('base64url');
    return transaction(sql, async (tx) => {
      const { expires_at } = await insertSignInLink(tx, user.id, hashKey(token), LIFETIME_HOURS);
      await recordAudit(tx, {
        action: 'sign_in_link.created',
        actor,
        details: { user_id: user.id, username: user.username },
      });
      return { username: user.username, path: `/app/welcome#${token}`, expires_at };
    });
  }

  return {
    create,

    /**
     * Makes a link for the first admin while nobody has a password, and whenever no admin could get in any more. The
     * admin is made if there is none but the one of bootstrap. Undefined otherwise.
     */
    async createForFirstAdmin(): Promise<SignInLink | undefined> {
      if ((await profiles.hasAnyPassword(sql)) && (await profiles.hasUsableAdmin(sql))) return undefined;
      const admin = (await profiles.findFirstAdmin(sql)) ?? (await makeFirstAdmin());
      return admin && create(admin, SYSTEM);
    },
  };

  /** Of two processes that start at once, one makes it and the other finds it. */
  async function makeFirstAdmin(): Promise<User | undefined> {
    for (const username of FIRST_ADMIN) {
      const fields = { username, display_name: 'Admin', role: 'admin' as const };
      const made = await transaction(sql, (tx) => users.insertWithLibrary(tx, fields, SYSTEM)).catch(ifTaken);
      const admin = made ?? (await profiles.findFirstAdmin(sql));
      if (admin) return admin;
    }
    return undefined;
  }
}

/** Somebody had the username before and gave it up. It stays theirs. */
function ifTaken(error: unknown): undefined {
  if (error instanceof NexusError && error.code === 'E_USERNAME_TAKEN') return undefined;
  throw error;
}
