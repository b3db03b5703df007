import type { KeptMedia } from '../../../contract/libraries.ts';
import type { Database, Queryable } from '../../../platform/database/database.ts';
import type { Viewer } from '../access/can-read-media.ts';

/** Selects the media of a library, with the other reasons why one of its members can read each of them. */
function otherReasons(sql: Queryable, libraryId: string, member: Viewer) {
  return sql`
    select
      listed.media_id,
      exists (
        select
        from default_library_intrinsics as saved
        where saved.default_library_id = ${member.default_library_id} and saved.media_id = listed.media_id
      ) as saved,
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

export async function countKept(sql: Database, libraryId: string, member: Viewer) {
  const [counts] = await sql<[{ lost_count: number; kept_count: number }]>`
    select
      count(*) filter (where not saved and library_ids = '{}') as lost_count,
      count(*) filter (where saved or library_ids <> '{}') as kept_count
    from (${otherReasons(sql, libraryId, member)}) as item`;
  return counts;
}

/** Lists media in the order of their ids. Libraries that the admin is not a member of are counted and not named. */
export async function listKept(
  sql: Database,
  { adminId, libraryId, member }: { adminId: string; libraryId: string; member: Viewer },
  last: string | null,
  limit: number,
): Promise<(KeptMedia & { id: string })[]> {
  return sql<(KeptMedia & { id: string })[]>`
    select
      item.media_id as id, item.media_id, media.title, item.saved,
      coalesce(named.libraries, '[]') as libraries,
      cardinality(item.library_ids) - coalesce(named.count, 0)::int as other_library_count
    from (${otherReasons(sql, libraryId, member)}) as item
    join media on media.id = item.media_id
    left join lateral (
      select
        json_agg(json_build_object('library_id', libraries.id, 'name', libraries.name) order by libraries.id) as libraries,
        count(*) as count
      from libraries
      join memberships on memberships.library_id = libraries.id and memberships.user_id = ${adminId}
      where libraries.id = any(item.library_ids)
    ) as named on true
    where (item.saved or item.library_ids <> '{}')
      ${last === null ? sql`` : sql`and item.media_id > ${last}`}
    order by item.media_id
    limit ${limit}`;
}
