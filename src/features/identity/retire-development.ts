import { recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { hashKey } from './api-keys.ts';
import { recordDisabledKeys } from './bootstrap.ts';
import * as bootstrapped from './bootstrap-store.ts';
import { deleteSessionsOf, deleteSignInLinksOf } from './session-store.ts';
import type { Users } from './users.ts';
import { BOOTSTRAP_ROLES, wellKnownKey } from './well-known-keys.ts';

const SYSTEM = { name: 'system' };

/** Disables the publicly known test keys of all users. Only NEXUS_ENV=test accepts them. */
export async function disableWellKnownKeys(sql: Database): Promise<void> {
  await transaction(sql, async (tx) => {
    const hashes = BOOTSTRAP_ROLES.map(wellKnownKey).map(hashKey);
    await recordDisabledKeys(tx, await bootstrapped.disableKeysByHash(tx, hashes));
  });
}

/**
 * Runs at the first start in production on a database that was used for development. Disables the users that bootstrap
 * created there, and deletes their passwords, sessions, links and keys. A bootstrap key that is configured for production
 * enables its user again later, with that key only. Returns the usernames.
 */
export async function retireDevelopmentPeople(sql: Database, users: Pick<Users, 'revokeInvitations'>) {
  return transaction(sql, async (tx) => {
    const people = await bootstrapped.retirePeople(tx);
    for (const person of people) await retire(tx, users, person);
    return people.map(({ username }) => username);
  });
}

async function retire(
  tx: Transaction,
  users: Pick<Users, 'revokeInvitations'>,
  { id, username }: { id: string; username: string },
): Promise<void> {
  const ended = await deleteSessionsOf(tx, id, null);
  await deleteSignInLinksOf(tx, id);
  await recordDisabledKeys(tx, await bootstrapped.disableKeysOf(tx, id));
  await users.revokeInvitations(tx, id);
  await recordAudit(tx, {
    action: 'user.retired',
    actor: SYSTEM,
    details: { user_id: id, username, ended_sessions: ended },
  });
}
