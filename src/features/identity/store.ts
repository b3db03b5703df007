import type { z } from 'zod';
import type * as contract from '../../contract/identity.ts';
import type { ApiKey, Person, User } from '../../contract/identity.ts';
import type { Role } from '../../contract/roles.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';

export const userColumns = (sql: Queryable) =>
  sql`users.id, users.username, users.display_name, users.role, users.default_library_id,
    users.disabled_at is null as is_enabled, users.disabled_at, users.storage_quota_mb, users.created_at`;

export const keyColumns = (sql: Queryable) =>
  sql`api_keys.id, api_keys.user_id, users.username as owner, api_keys.name, api_keys.prefix, api_keys.role,
    api_keys.enabled as is_enabled, api_keys.raw_mode_enabled, api_keys.scopes, api_keys.requests_per_minute, api_keys.expires_at, api_keys.last_used_at, api_keys.created_at`;

type NewUser = Pick<User, 'id' | 'username' | 'display_name' | 'role' | 'default_library_id'>;

/** Inserts a user. Returns undefined when the username is taken, also by a parallel transaction. */
export async function insertUser(tx: Transaction, user: NewUser): Promise<User | undefined> {
  const [created] = await tx<User[]>`
    insert into users (id, username, display_name, role, default_library_id)
    values (${user.id}, ${user.username}, ${user.display_name}, ${user.role}, ${user.default_library_id})
    on conflict (lower(username)) do nothing
    returning ${userColumns(tx)}`;
  return created;
}

export async function findUserById(sql: Queryable, id: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`select ${userColumns(sql)} from users where id = ${id}`;
  return user;
}

/** Locks a user until the transaction ends. Rows that reference the user can still be inserted. */
export async function lockUser(tx: Transaction, id: string): Promise<User | undefined> {
  const [user] = await tx<User[]>`
    select ${userColumns(tx)} from users where id = ${id} for no key update`;
  return user;
}

export async function findUserByName(sql: Queryable, username: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    select ${userColumns(sql)} from users where lower(username) = lower(${username})`;
  return user;
}

export async function listUsers(sql: Queryable, before: string | null, limit: number): Promise<User[]> {
  return sql<User[]>`
    select ${userColumns(sql)}
    from users
    where true ${before === null ? sql`` : sql`and id < ${before}`}
    order by id desc
    limit ${limit}`;
}

/** Returns enabled users whose username or display name begins with the prefix; matches of the username come first. */
export async function findPeople(sql: Queryable, prefix: string, limit: number): Promise<Person[]> {
  const pattern = `${prefix.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<Person[]>`
    select id, username, display_name
    from users
    where disabled_at is null
      and (lower(username) like lower(${pattern}) or lower(display_name) like lower(${pattern}))
    order by lower(username) not like lower(${pattern}), lower(username)
    limit ${limit}`;
}

/**
 * Locks all enabled admins, in a fixed order, and returns their ids. Two admins who demote each other in parallel wait
 * for one another here, so one of them remains. Rows that reference an admin can still be inserted.
 */
export async function lockEnabledAdmins(tx: Transaction): Promise<string[]> {
  const admins = await tx<{ id: string }[]>`
    select id from users where role = 'admin' and disabled_at is null order by id for no key update`;
  return admins.map((admin) => admin.id);
}

export type UserChange = z.output<typeof contract.updateUser>;

export async function updateUser(tx: Transaction, id: string, change: UserChange): Promise<User | undefined> {
  const [user] = await tx<User[]>`
    update users
    set role = coalesce(${change.role ?? null}, role),
        display_name = coalesce(${change.display_name ?? null}, display_name),
        disabled_at = case
          when ${change.is_enabled ?? null}::boolean is null then disabled_at
          when not ${change.is_enabled ?? null}::boolean then coalesce(disabled_at, now())
        end,
        storage_quota_mb = case
          when ${change.storage_quota_mb === undefined} then storage_quota_mb
          else ${change.storage_quota_mb ?? null}::int
        end,
        updated_at = now()
    where id = ${id}
    returning ${userColumns(tx)}`;
  return user;
}

type NewApiKey = Omit<ApiKey, 'owner' | 'is_enabled' | 'last_used_at' | 'created_at'> & {
  key_hash: Buffer;
};

export async function insertApiKey(tx: Transaction, key: NewApiKey): Promise<ApiKey> {
  const [created] = await tx<[ApiKey]>`
    with inserted as (
      insert into api_keys (
        id, user_id, name, key_hash, prefix, role, raw_mode_enabled, scopes, requests_per_minute, expires_at
      )
      values (
        ${key.id}, ${key.user_id}, ${key.name}, ${key.key_hash}, ${key.prefix}, ${key.role},
        ${key.raw_mode_enabled}, ${key.scopes}, ${key.requests_per_minute}, ${key.expires_at}
      )
      returning *
    )
    select ${keyColumns(tx)} from inserted as api_keys join users on users.id = api_keys.user_id`;
  return created;
}

export async function findApiKeyByHash(sql: Queryable, keyHash: Buffer): Promise<ApiKey | undefined> {
  const [key] = await sql<ApiKey[]>`
    select ${keyColumns(sql)}
    from api_keys
    join users on users.id = api_keys.user_id
    where api_keys.key_hash = ${keyHash}`;
  return key;
}

export async function listApiKeys(
  sql: Queryable,
  { userId, before, limit }: { userId: string | undefined; before: string | null; limit: number },
) {
  return sql<ApiKey[]>`
    select ${keyColumns(sql)}
    from api_keys
    join users on users.id = api_keys.user_id
    where true
      ${userId === undefined ? sql`` : sql`and api_keys.user_id = ${userId}`}
      ${before === null ? sql`` : sql`and api_keys.id < ${before}`}
    order by api_keys.id desc
    limit ${limit}`;
}

export async function findApiKey(sql: Queryable, id: string): Promise<ApiKey | undefined> {
  const [key] = await sql<ApiKey[]>`
    select ${keyColumns(sql)}
    from api_keys
    join users on users.id = api_keys.user_id
    where api_keys.id = ${id}`;
  return key;
}

/** Deletes a key with the sessions that began with it. */
export async function deleteApiKey(tx: Transaction, id: string): Promise<ApiKey | undefined> {
  const [key] = await tx<ApiKey[]>`
    delete from api_keys
    using users
    where api_keys.id = ${id} and users.id = api_keys.user_id
    returning ${keyColumns(tx)}`;
  return key;
}

/** Disables a key. `was_enabled` tells whether this call changed it. */
export async function disableApiKey(tx: Transaction, id: string) {
  const [key] = await tx<(ApiKey & { was_enabled: boolean })[]>`
    with before as (select id, enabled from api_keys where id = ${id} for update)
    update api_keys
    set enabled = false
    from users, before
    where api_keys.id = before.id and users.id = api_keys.user_id
    returning ${keyColumns(tx)}, before.enabled as was_enabled`;
  return key;
}

/** The rights of a key or a session: its own, and those of its user. */
export interface Rights
  extends Pick<ApiKey, 'user_id' | 'owner' | 'raw_mode_enabled' | 'scopes' | 'requests_per_minute'> {
  user_role: Role;
  /** Null for a session that did not begin with a key. */
  key_role: Role | null;
  default_library_id: string;
}

/** The key of a request, with its validity by the database's clock. */
export interface PresentedKey extends Rights {
  id: string;
  is_disabled: boolean;
  is_expired: boolean;
  is_use_due: boolean;
}

/** Runs on every request with a key: one lookup in the index on the hash, one in the primary key of users. */
export async function findPresentedKey(sql: Queryable, keyHash: Buffer): Promise<PresentedKey | undefined> {
  const [key] = await sql<PresentedKey[]>`
    select
      api_keys.id,
      api_keys.user_id,
      users.username as owner,
      api_keys.role as key_role,
      users.role as user_role,
      api_keys.raw_mode_enabled,
      api_keys.scopes,
      api_keys.requests_per_minute,
      users.default_library_id,
      (not api_keys.enabled or users.disabled_at is not null) as is_disabled,
      coalesce(api_keys.expires_at <= now(), false) as is_expired,
      coalesce(api_keys.last_used_at < now() - interval '1 minute', true) as is_use_due
    from api_keys
    join users on users.id = api_keys.user_id
    where api_keys.key_hash = ${keyHash}`;
  return key;
}

/** Updates `last_used_at`, at most once per minute and key, also under parallel requests. */
export async function recordKeyUse(sql: Database, id: string): Promise<void> {
  await sql`
    update api_keys
    set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`;
}
