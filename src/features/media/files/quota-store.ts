import type { Queryable, Transaction } from '../../../platform/database/database.ts';

export async function findUsage(sql: Queryable, userId: string) {
  const [usage] = await sql<[{ bytes: number; storage_quota_mb: number | null }]>`
    select coalesce(storage_usage.bytes, 0) as bytes, users.storage_quota_mb
    from users
    left join storage_usage on storage_usage.user_id = users.id
    where users.id = ${userId}`;
  return usage;
}

/** Locks the row that counts the person's bytes, and creates it when it is missing. */
export async function lockUsage(tx: Transaction, userId: string): Promise<number> {
  const [usage] = await tx<[{ bytes: number }]>`
    insert into storage_usage (user_id, bytes)
    values (${userId}, 0)
    on conflict (user_id) do update set bytes = storage_usage.bytes
    returning bytes`;
  return usage.bytes;
}

/** Sets the number of stored bytes of a media. Triggers update the usage of whoever is charged. */
export async function setStoredBytes(tx: Transaction, mediaId: string, bytes: number): Promise<void> {
  await tx`update media set stored_bytes = ${bytes} where id = ${mediaId}`;
}

export async function addStoredBytes(tx: Transaction, mediaId: string, bytes: number): Promise<void> {
  await tx`update media set stored_bytes = stored_bytes + ${bytes} where id = ${mediaId}`;
}

/** Lists whoever is charged for a media first, then the others who saved it, earliest first. */
export async function listPayers(tx: Transaction, mediaId: string) {
  return tx<{ user_id: string; stored_bytes: number }[]>`
    select payer.user_id, media.stored_bytes
    from media
    cross join lateral (
      select media.charged_user_id as user_id, null::timestamptz as since
      union all
      (
        select users.id, saved.created_at
        from default_library_intrinsics as saved
        join users on users.default_library_id = saved.default_library_id
        where saved.media_id = media.id and users.id <> media.charged_user_id
        order by saved.created_at
        limit 20
      )
    ) as payer
    where media.id = ${mediaId}
    order by payer.since nulls first, payer.user_id`;
}

export async function setCharge(tx: Transaction, mediaId: string, userId: string, bytes: number) {
  await tx`update media set charged_user_id = ${userId}, stored_bytes = ${bytes} where id = ${mediaId}`;
}

/**
 * Charges a media to somebody else once the person who was charged no longer has it: the first who saved it, or
 * somebody who has it in their trash, or the owner of a library that lists it.
 */
export async function passChargeOn(tx: Transaction, mediaId: string): Promise<void> {
  await tx`
    with holder as (
      select users.id, 1 as preference, saved.created_at as since
      from default_library_intrinsics as saved
      join users on users.default_library_id = saved.default_library_id
      where saved.media_id = ${mediaId}
      union all
      select users.id, 2, trash.trashed_at
      from trash
      join users on users.default_library_id = trash.default_library_id
      where trash.media_id = ${mediaId}
      union all
      select libraries.owner_user_id, 3, listed.created_at
      from library_media as listed
      join libraries on libraries.id = listed.library_id
      where listed.media_id = ${mediaId} and not listed.is_derived
    )
    update media
    set charged_user_id = coalesce(
      (select id from holder order by preference, since, id limit 1),
      charged_user_id
    )
    where media.id = ${mediaId} and media.charged_user_id not in (select id from holder where preference < 3)`;
}
