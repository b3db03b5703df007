import { createUsers, type Users } from '../features/identity/users.ts';
import { createDefaultLibrary } from '../features/libraries/default-library.ts';
import { revokeInvitationsBy } from '../features/libraries/sharing/invitation-revocation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Config } from './config.ts';

/** The users service, with what libraries contribute to it. */
export function createPeople(sql: Database, { defaultRole }: Pick<Config, 'defaultRole'>): Users {
  return createUsers({ sql, defaultRole, createDefaultLibrary, revokeInvitations: revokeInvitationsBy });
}
