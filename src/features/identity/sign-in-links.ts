import { randomBytes } from 'node:crypto';
import type { User } from '../../contract/identity.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { hashKey } from './api-keys.ts';
import * as profiles from './profile-store.ts';
import { insertSignInLink } from './session-store.ts';
import { type Users, undefinedIf } from './users.ts';

const LIFETIME_HOURS = 24;
/** Usernames for the first admin. The first one that nobody has or had is used. */
const FIRST_ADMIN_USERNAMES = ['admin', ...Array.from({ length: 20 }, (_, index) => `admin-${index + 2}`)];
const SYSTEM = { name: 'system' };

export interface SignInLink {
  username: string;
  /** Relative to the base URL. The token follows the #, so it is never sent to a server or logged. */
  path: string;
  expires_at: Date;
}

export type SignInLinks = ReturnType<typeof createSignInLinks>;

/** Links that sign a user in once: the first admin, a new user, or one who forgot the password. */
export function createSignInLinks({ sql, users }: { sql: Database; users: Users }) {
  function create({ id, username }: Pick<User, 'id' | 'username'>, actor: Actor): Promise<SignInLink> {
    const token = randomBytes(32).toString('base64url');
    return transaction(
      sql,
      async (tx) => {
        const { expires_at } = await insertSignInLink(tx, id, hashKey(token), LIFETIME_HOURS);
        await recordAudit(tx, { action: 'sign_in_link.created', actor, details: { user_id: id, username } });
        return { username, path: `/app/welcome#${token}`, expires_at };
      },
      actor,
    );
  }

  return {
    create,

    /**
     * Creates a link for the first admin while nobody has a password, and when no admin can sign in. Creates the admin if
     * there is none besides bootstrap's. Returns undefined otherwise.
     */
    async createForFirstAdmin(): Promise<SignInLink | undefined> {
      if ((await profiles.hasAnyPassword(sql)) && (await profiles.hasUsableAdmin(sql))) return undefined;
      const admin = (await profiles.findFirstAdmin(sql)) ?? (await createFirstAdmin());
      return admin && create(admin, SYSTEM);
    },
  };

  /** Creates the first admin. Of parallel processes, one creates it and the others find it. */
  async function createFirstAdmin(): Promise<User | undefined> {
    for (const username of FIRST_ADMIN_USERNAMES) {
      const fields = { username, display_name: 'Admin', role: 'admin' as const };
      // A former username stays reserved for the person who had it.
      const created = await transaction(sql, (tx) => users.insertWithLibrary(tx, fields, SYSTEM)).catch(
        undefinedIf('E_USERNAME_TAKEN'),
      );
      const admin = created ?? (await profiles.findFirstAdmin(sql));
      if (admin) return admin;
    }
    return undefined;
  }
}
