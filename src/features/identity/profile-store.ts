import type { User } from '../../contract/identity.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { userColumns } from './store.ts';

interface Password {
  id: string;
  username: string;
  password_hash: string | null;
  disabled_at: Date | null;
}

export async function findPassword(sql: Queryable, username: string): Promise<Password | undefined> {
  const [person] = await sql<Password[]>`
    select id, username, password_hash, disabled_at from users where lower(username) = lower(${username})`;
  return person;
}

/** Reads the password and locks it until the transaction ends, so that it cannot change meanwhile. */
export async function lockPassword(tx: Transaction, userId: string): Promise<Password | undefined> {
  const [person] = await tx<Password[]>`
    select id, username, password_hash, disabled_at from users where id = ${userId} for share`;
  return person;
}

/** Replaces the password hash. Returns false when it is no longer `before`. */
export async function replacePassword(tx: Transaction, userId: string, before: string | null, hash: string) {
  const changed = await tx`
    update users
    set password_hash = ${hash}, updated_at = now()
    where id = ${userId} and password_hash is not distinct from ${before}`;
  return changed.count === 1;
}

export async function hasAnyPassword(sql: Queryable): Promise<boolean> {
  const [row] = await sql<[{ has_any: boolean }]>`
    select exists (select from users where password_hash is not null and disabled_at is null) as has_any`;
  return row.has_any;
}

/** Whether at least one enabled admin has a password or a valid admin key. */
export async function hasUsableAdmin(sql: Queryable): Promise<boolean> {
  const [row] = await sql<[{ has_usable: boolean }]>`
    select exists (
      select
      from users
      where role = 'admin'
        and disabled_at is null
        and (
          password_hash is not null
          or exists (
            select
            from api_keys
            where api_keys.user_id = users.id
              and api_keys.role = 'admin'
              and api_keys.enabled
              and coalesce(api_keys.expires_at > now(), true)
          )
        )
    ) as has_usable`;
  return row.has_usable;
}

/** Returns the oldest enabled admin that bootstrap did not create. */
export async function findFirstAdmin(sql: Queryable): Promise<User | undefined> {
  const [admin] = await sql<User[]>`
    select ${userColumns(sql)}
    from users
    where role = 'admin' and disabled_at is null and bootstrapped_in is null
    order by id
    limit 1`;
  return admin;
}

interface StoredProfile extends Pick<User, 'id' | 'username' | 'display_name' | 'role'> {
  has_password: boolean;
}

export async function findProfile(sql: Queryable, userId: string): Promise<StoredProfile> {
  const [person] = await sql<[StoredProfile]>`
    select id, username, display_name, role, password_hash is not null as has_password
    from users
    where id = ${userId}`;
  return person;
}

/** Renames a user. Returns the former username, or undefined when somebody else has the new one. */
export async function renameUser(tx: Transaction, id: string, username: string) {
  const [renamed] = await tx<{ former: string; is_bootstrap: boolean }[]>`
    with before as (select id, username from users where id = ${id} for no key update)
    update users
    set username = ${username}, updated_at = now()
    from before
    where users.id = before.id
      and not exists (select from users as other where lower(other.username) = lower(${username}) and other.id <> ${id})
    returning before.username as former, users.bootstrapped_in is not null as is_bootstrap`;
  return renamed;
}

/** Reserves a former username for its user. */
export async function reserveUsername(tx: Transaction, userId: string, username: string): Promise<void> {
  await tx`
    insert into former_usernames (username, user_id)
    values (lower(${username}), ${userId})
    on conflict (username) do nothing`;
}

/**
 * Whether another user had the name before. It must be a separate statement after the insert or rename, which waits for
 * a parallel transaction that gives the name up; an earlier statement would not see it.
 */
export async function isReserved(tx: Transaction, userId: string, username: string): Promise<boolean> {
  const [row] = await tx<[{ is_reserved: boolean }]>`
    select exists (
      select from former_usernames where username = lower(${username}) and user_id <> ${userId}
    ) as is_reserved`;
  return row.is_reserved;
}
