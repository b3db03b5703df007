import type { z } from 'zod';
import { type ErrorCode, NexusError } from '../../contract/errors.ts';
import type { createUser, User } from '../../contract/identity.ts';
import type { Role } from '../../contract/roles.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { versionOf } from '../../platform/version-tag.ts';
import * as profiles from './profile-store.ts';
import { refuseReservedUsername } from './reserved-usernames.ts';
import * as store from './store.ts';

export interface UsersDependencies {
  sql: Database;
  /** Passed in, because the libraries feature depends on identity. */
  createDefaultLibrary(tx: Transaction, libraryId: string, ownerId: string): Promise<void>;
  /** Revokes the pending invitations that a user has sent; called when the user is disabled. */
  revokeInvitations(
    tx: Transaction,
    inviterId: string,
    by?: { requestId?: string | undefined },
  ): Promise<void>;
  /** The role of new users when none is given. */
  defaultRole: Role;
}

type NewPerson = z.output<typeof createUser>;

const MAX_FOUND_PEOPLE = 8;

export type Users = ReturnType<typeof createUsers>;

export function createUsers({ sql, defaultRole, ...hooks }: UsersDependencies) {
  /** Creates a user with their default library. Returns undefined when the username is taken. */
  async function insertWithLibrary(tx: Transaction, fields: NewPerson & { role: Role }, actor: Actor) {
    const { username, display_name = username, role } = fields;
    const ids = { id: newId(), default_library_id: newId() };
    const user = await store.insertUser(tx, { ...ids, username, display_name, role });
    if (!user) return undefined;
    if (await profiles.isReserved(tx, user.id, user.username)) usernameTaken(user.username);
    await hooks.createDefaultLibrary(tx, user.default_library_id, user.id);
    const details = { user_id: user.id, username, role };
    await recordAudit(tx, { action: 'user.created', actor, details });
    return user;
  }

  /** Throws when the user is not in the state that the change is based on. */
  async function requireVersion(tx: Transaction, id: string, actor: Actor): Promise<void> {
    if (!actor.requireVersion) return;
    const current = (await store.lockUser(tx, id)) ?? userNotFound(id);
    actor.requireVersion(userVersion(current));
  }

  async function updateIn(tx: Transaction, id: string, change: store.UserChange, actor: Actor) {
    const removesAdmin =
      change.is_enabled === false || (change.role !== undefined && change.role !== 'admin');
    if (removesAdmin) await requireAnotherAdmin(tx, id);
    await requireVersion(tx, id, actor);
    const user = (await store.updateUser(tx, id, change)) ?? userNotFound(id);
    if (change.is_enabled === false) await hooks.revokeInvitations(tx, id, { requestId: actor.requestId });
    const { username, role, is_enabled, storage_quota_mb } = user;
    const details = { user_id: id, username, role, is_enabled, storage_quota_mb };
    await recordAudit(tx, { action: 'user.updated', actor, details });
    return user;
  }

  return {
    insertWithLibrary,
    revokeInvitations: hooks.revokeInvitations,

    async create({ role = defaultRole, ...fields }: NewPerson, actor: Actor): Promise<User> {
      refuseReservedUsername(fields.username);
      return transaction(
        sql,
        async (tx) => {
          const user = await insertWithLibrary(tx, { ...fields, role }, actor);
          return user ?? usernameTaken(fields.username);
        },
        actor,
      );
    },

    async list(query: { cursor?: string | undefined; limit: number }) {
      const rows = await store.listUsers(sql, readCursor(query.cursor), query.limit + 1);
      return { ...cutPage(rows, query.limit), default_role: defaultRole };
    },

    /** Finds people to invite. */
    find: (prefix: string) => store.findPeople(sql, prefix, MAX_FOUND_PEOPLE),

    async get(id: string): Promise<User> {
      return (await store.findUserById(sql, id)) ?? userNotFound(id);
    },

    async getByName(username: string): Promise<User> {
      return (await store.findUserByName(sql, username)) ?? userNotFound(username);
    },

    requireVersion,

    updateIn,

    update(id: string, change: store.UserChange, actor: Actor): Promise<User> {
      return transaction(sql, (tx) => updateIn(tx, id, change, actor));
    },
  };
}

/** Names the state of a user that admins change. */
export function userVersion(user: User): string {
  return versionOf(user.username, user.display_name, user.role, user.is_enabled, user.storage_quota_mb);
}

async function requireAnotherAdmin(tx: Transaction, leavingId: string): Promise<void> {
  const admins = await store.lockEnabledAdmins(tx);
  if (!admins.includes(leavingId) || admins.length > 1) return;
  throw new NexusError('E_LAST_ADMIN_FORBIDDEN', 'This is the last admin. Make another user an admin first.');
}

export function usernameTaken(username: string): never {
  throw new NexusError('E_USERNAME_TAKEN', `The username ${username} is taken. Choose another.`);
}

function userNotFound(idOrName: string): never {
  throw new NexusError('E_USER_NOT_FOUND', `The user ${idOrName} does not exist.`);
}

/** Turns a refusal with this code into undefined. */
export const undefinedIf =
  (code: ErrorCode) =>
  (error: unknown): undefined => {
    if (!(error instanceof NexusError) || error.code !== code) throw error;
  };
