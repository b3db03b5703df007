import type { EventPayload } from '../../../contract/events.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import { isHeld } from '../../libraries/closure/closure.ts';

/** Locks media against being added, saved, restored or merged. Returns the ids that exist. */
export async function lockForPurge(tx: Transaction, mediaIds: string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from media where id = any(${mediaIds}::uuid[]) order by id for update`;
  return rows.map(({ id }) => id);
}

/** Lists the media that nobody has. A separate statement sees everything that was committed before they were locked. */
export async function listUnheldAmong(tx: Transaction, lockedIds: string[]): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id
    from unnest(${lockedIds}::uuid[]) as locked (id)
    where not ${isHeld(tx, tx`locked.id`)}`;
  return rows.map(({ id }) => id);
}

/** Deletes media with everything that refers to them. Returns the payloads of their events. */
export async function deleteMedia(tx: Transaction, mediaIds: string[]) {
  return tx<EventPayload<'media.deleted'>[]>`
    delete from media
    where id = any(${mediaIds}::uuid[])
    returning id as media_id, kind`;
}

interface TrashRow {
  default_library_id: string;
  media_id: string;
}

export async function listExpiredTrash(sql: Queryable, days: number, limit: number) {
  return sql<(TrashRow & { user_id: string })[]>`
    select trash.default_library_id, trash.media_id, users.id as user_id
    from trash
    join users on users.default_library_id = trash.default_library_id
    where ${isExpired(sql, days)}
    order by trash.trashed_at, trash.media_id
    limit ${limit}`;
}

/** Deletes a row of the trash if it is still expired: the media may have been restored and removed again. */
export async function deleteExpiredTrash(tx: Transaction, row: TrashRow, days: number): Promise<boolean> {
  const deleted = await tx`
    delete from trash
    where default_library_id = ${row.default_library_id} and media_id = ${row.media_id} and ${isExpired(tx, days)}`;
  return deleted.count === 1;
}

const isExpired = (sql: Queryable, days: number) =>
  sql`trash.trashed_at <= now() - ${days} * interval '1 day'`;

/** Records which of the next media nobody has. Null when there are no more. */
export async function noteUnheld(sql: Queryable, after: string | null, batch: number) {
  const [walked] = await sql<[{ last: string | null }]>`
    with batch as materialized (
      select id
      from media
      ${after === null ? sql`` : sql`where id > ${after}`}
      order by id
      limit ${batch}
    ),
    noted as (
      insert into unheld_media (media_id)
      select id from batch where not ${isHeld(sql, sql`batch.id`)}
      on conflict do nothing
    )
    select (select id from batch order by id desc limit 1) as last`;
  return walked.last;
}

/** Deletes the records of media that somebody has again. Should nobody have them later, their time starts anew. */
export async function forgetHeld(sql: Queryable): Promise<void> {
  await sql`delete from unheld_media where ${isHeld(sql, sql`unheld_media.media_id`)}`;
}

export async function listUnheldSince(sql: Queryable, days: number, limit: number): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select media_id
    from unheld_media
    where since <= now() - ${days} * interval '1 day'
    order by since, media_id
    limit ${limit}`;
  return rows.map(({ media_id }) => media_id);
}
