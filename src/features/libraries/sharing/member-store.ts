import { z } from 'zod';
import type { KeptMedia, LibraryRole, Member } from '../../../contract/libraries.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import { microseconds, moment } from '../../../platform/database/moments.ts';
import { isSavedBy, type Viewer } from '../access/can-read-media.ts';

export const memberCursor = z.object({ rank: z.int().min(0).max(3), since_us: z.int(), user_id: z.uuid() });
type MemberCursor = z.output<typeof memberCursor>;

/** Lists the owner first, then admins, contributors and the others; each by age. */
export async function listMembers(
  sql: Queryable,
  libraryId: string,
  last: MemberCursor | null,
  limit: number,
): Promise<(Member & { cursor: MemberCursor })[]> {
  return sql<(Member & { cursor: MemberCursor })[]>`
    select
      user_id, username, display_name, role, rank = 0 as is_owner, created_at,
      json_build_object('rank', rank, 'since_us', ${microseconds(sql, sql`created_at`)}, 'user_id', user_id) as cursor
    from (${rankedMembers(sql, libraryId)}) as member
    where true
      ${last === null ? sql`` : sql`and (rank, created_at, user_id) > (${last.rank}, ${moment(sql, last.since_us)}, ${last.user_id})`}
    order by rank, created_at, user_id
    limit ${limit}`;
}

export async function findMember(sql: Queryable, libraryId: string, userId: string) {
  const [member] = await sql<Member[]>`
    select user_id, username, display_name, role, rank = 0 as is_owner, created_at
    from (${rankedMembers(sql, libraryId)}) as member
    where user_id = ${userId}`;
  return member;
}

function rankedMembers(sql: Queryable, libraryId: string) {
  return sql`
    select
      memberships.user_id, users.username, users.display_name, memberships.role, memberships.created_at,
      case
        when libraries.owner_user_id = memberships.user_id then 0
        when memberships.role = 'admin' then 1
        when memberships.role = 'contributor' then 2
        else 3
      end as rank
    from memberships
    join libraries on libraries.id = memberships.library_id
    join users on users.id = memberships.user_id
    where memberships.library_id = ${libraryId}`;
}

/**
 * Locks memberships in one order, so that two changes of the same members wait for each other. Returns the members that
 * were found. Somebody who joins later counts as absent: changing a membership without its lock would break the order.
 */
export async function lockMemberships(tx: Transaction, libraryId: string, userIds: string[]) {
  const locked = await tx<{ user_id: string }[]>`
    select user_id
    from memberships
    where library_id = ${libraryId} and user_id = any(${userIds}::uuid[])
    order by user_id
    for update`;
  return new Set(locked.map(({ user_id }) => user_id));
}

export async function countAdmins(tx: Transaction, libraryId: string): Promise<number> {
  const [row] = await tx<[{ count: number }]>`
    select count(*) from memberships where library_id = ${libraryId} and role = 'admin'`;
  return row.count;
}

export async function changeRole(tx: Transaction, libraryId: string, userId: string, role: LibraryRole) {
  await tx`update memberships set role = ${role} where library_id = ${libraryId} and user_id = ${userId}`;
}

export async function deleteMembership(tx: Transaction, libraryId: string, userId: string): Promise<void> {
  await tx`delete from memberships where library_id = ${libraryId} and user_id = ${userId}`;
}

export async function changeOwner(tx: Transaction, libraryId: string, ownerId: string): Promise<void> {
  await tx`
    update libraries set owner_user_id = ${ownerId}, updated_at = now() where id = ${libraryId}`;
}

export async function findDefaultLibraryId(sql: Queryable, userId: string): Promise<string | undefined> {
  const [user] = await sql<{ default_library_id: string }[]>`
    select default_library_id from users where id = ${userId}`;
  return user?.default_library_id;
}

/** A member whom an admin may remove from a library. */
interface Removal {
  adminId: string;
  libraryId: string;
  member: Viewer;
}

/** Selects the media of a library, with the other reasons why one of its members can read each of them. */
function otherReasons(sql: Queryable, { libraryId, member }: Removal) {
  return sql`
    select
      listed.media_id,
      ${isSavedBy(sql, member, sql`listed.media_id`)} as saved,
      array(
        select joined.library_id
        from memberships as joined
        join library_media as other on other.library_id = joined.library_id and other.media_id = listed.media_id
        where joined.user_id = ${member.user_id}
          and joined.library_id not in (${libraryId}, ${member.default_library_id})
      ) as library_ids
    from library_media as listed
    where listed.library_id = ${libraryId}`;
}

export async function countKept(sql: Queryable, removal: Removal) {
  const [counts] = await sql<[{ lost_count: number; kept_count: number }]>`
    select
      count(*) filter (where not saved and library_ids = '{}') as lost_count,
      count(*) filter (where saved or library_ids <> '{}') as kept_count
    from (${otherReasons(sql, removal)}) as item`;
  return counts;
}

/** Lists media in the order of their ids. Libraries that the admin is not a member of are counted and not named. */
export async function listKept(sql: Queryable, removal: Removal, last: string | null, limit: number) {
  return sql<(KeptMedia & { id: string })[]>`
    select
      item.media_id as id, item.media_id, media.title, item.saved,
      coalesce(named.libraries, '[]') as libraries,
      cardinality(item.library_ids) - coalesce(named.count, 0)::int as other_library_count
    from (${otherReasons(sql, removal)}) as item
    join media on media.id = item.media_id
    left join lateral (
      select
        json_agg(json_build_object('library_id', libraries.id, 'name', libraries.name) order by libraries.id) as libraries,
        count(*) as count
      from libraries
      join memberships on memberships.library_id = libraries.id and memberships.user_id = ${removal.adminId}
      where libraries.id = any(item.library_ids)
    ) as named on true
    where (item.saved or item.library_ids <> '{}')
      ${last === null ? sql`` : sql`and item.media_id > ${last}`}
    order by item.media_id
    limit ${limit}`;
}
