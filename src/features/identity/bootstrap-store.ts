import type { ApiKey, User } from '../../contract/identity.ts';
import type { Role } from '../../contract/roles.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { keyColumns, userColumns } from './store.ts';

export type Environment = 'dev' | 'test' | 'prod';

/** Finds and locks a user whom bootstrap created, so that parallel starts change it one after the other. */
export async function lockBootstrapUser(tx: Transaction, username: string): Promise<User | undefined> {
  const [user] = await tx<User[]>`
    select ${userColumns(tx)}
    from users
    where lower(username) = lower(${username}) and bootstrapped_in is not null
    for no key update`;
  return user;
}

export async function markBootstrapped(tx: Transaction, userId: string, env: Environment): Promise<void> {
  await tx`
    update users
    set bootstrapped_in = ${env}
    where id = ${userId} and bootstrapped_in is distinct from ${env}`;
}

/** Disables the users that bootstrap created outside production, deletes their passwords, and marks them as done. */
export async function retirePeople(tx: Transaction): Promise<{ id: string; username: string }[]> {
  return tx<{ id: string; username: string }[]>`
    update users
    set bootstrapped_in = 'prod', disabled_at = coalesce(disabled_at, now()), password_hash = null, updated_at = now()
    where bootstrapped_in <> 'prod'
    returning id, username`;
}

export async function enableApiKey(tx: Transaction, id: string, role: Role, raw: boolean): Promise<ApiKey> {
  const [key] = await tx<[ApiKey]>`
    update api_keys
    set enabled = true, role = ${role}, raw_mode_enabled = ${raw}, expires_at = null
    from users
    where api_keys.id = ${id} and users.id = api_keys.user_id
    returning ${keyColumns(tx)}`;
  return key;
}

async function disableKeys(tx: Transaction, condition: SqlFragment): Promise<ApiKey[]> {
  return tx<ApiKey[]>`
    update api_keys
    set enabled = false
    from users
    where ${condition} and api_keys.enabled and users.id = api_keys.user_id
    returning ${keyColumns(tx)}`;
}

/** Disables all keys of the user with this name, except one. */
export const disableKeysNamed = (tx: Transaction, userId: string, name: string, exceptHash: Buffer) =>
  disableKeys(
    tx,
    tx`api_keys.user_id = ${userId} and api_keys.name = ${name} and api_keys.key_hash <> ${exceptHash}`,
  );

export const disableKeysOf = (tx: Transaction, userId: string) =>
  disableKeys(tx, tx`api_keys.user_id = ${userId}`);

export const disableKeysByHash = (tx: Transaction, keyHashes: Buffer[]) =>
  disableKeys(tx, tx`api_keys.key_hash = any(${keyHashes}::bytea[])`);
