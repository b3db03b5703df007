import type { Mine } from '../../../contract/mine.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';

/** Whether a media is shown by its address: its page was not read yet, cannot be read, or names no title. */
const lacksTitle = (sql: Queryable) => sql`(
  media.title = media.given_title
  or media.processing_status in ('pending', 'extracting')
  or (media.processing_status = 'failed' and media.failure_stage <> 'embed')
)`;

/** The columns of a viewer's own fields of a media. */
export interface MineRow {
  own_tags: string[];
  is_favourite: boolean;
  is_archived: boolean;
  own_title: string | null;
  own_note: string | null;
}

/** The columns of `MineRow`, for a statement about `media` with `joinMine`. */
export const mineColumns = (sql: Queryable, { user_id }: Viewer) => sql`
  array(
    select tags.name
    from media_tags
    join tags on tags.id = media_tags.tag_id
    where media_tags.media_id = media.id and media_tags.user_id = ${user_id}
    order by lower(tags.name)
  ) as own_tags,
  coalesce(mine.is_favourite, false) as is_favourite, mine.archived_at is not null as is_archived,
  coalesce(mine.title, case when ${lacksTitle(sql)} then mine.imported_title end) as own_title, mine.note as own_note`;

export function toMine({ own_tags, is_favourite, is_archived, own_title, own_note }: MineRow): Mine {
  return { tags: own_tags, is_favourite, is_archived, title: own_title, note: own_note };
}

/** Joins what the viewer keeps about each media of a statement. */
export const joinMine = (sql: Queryable, { user_id }: Viewer) => sql`
  left join media_mine as mine on mine.user_id = ${user_id} and mine.media_id = media.id`;

export async function findMine(sql: Queryable, viewer: Viewer, mediaId: string) {
  const [row] = await sql<MineRow[]>`
    select ${mineColumns(sql, viewer)}
    from media
    ${joinMine(sql, viewer)}
    where media.id = ${mediaId} and ${canReadMedia(sql, viewer, mediaId)}`;
  return row && toMine(row);
}

/**
 * Creates the viewer's row of a media if it is missing, and locks it. Returns false when the media is gone.
 *
 * Locking a row gives a transaction its number, and events are read in the order of these numbers. The media is therefore
 * locked only if the row is missing: of two edits, the one that waits for the row has no number yet.
 */
export async function lockMine(tx: Transaction, { user_id }: Viewer, mediaId: string): Promise<boolean> {
  await tx`
    insert into media_mine (user_id, media_id)
    select ${user_id}, media.id
    from media
    where media.id = ${mediaId}
      and not exists (select from media_mine where user_id = ${user_id} and media_id = ${mediaId})
    for key share of media
    on conflict do nothing`;
  const locked = await tx`
    select from media_mine where user_id = ${user_id} and media_id = ${mediaId} for no key update`;
  return locked.length === 1;
}

/** Writes everything but the tags. A title that is not given stays; null removes the imported one, too. */
export async function writeMine(
  tx: Transaction,
  { user_id }: Viewer,
  mediaId: string,
  {
    is_favourite,
    is_archived,
    title,
    note,
  }: Omit<Mine, 'tags' | 'title'> & { title?: string | null | undefined },
): Promise<void> {
  await tx`
    update media_mine
    set is_favourite = ${is_favourite},
        favourited_at = case
          when ${is_favourite}::boolean then case when is_favourite then favourited_at else now() end
        end,
        archived_at = case when ${is_archived}::boolean then coalesce(archived_at, now()) end,
        title = ${title === undefined ? tx`title` : title},
        imported_title = ${title === null ? null : tx`imported_title`},
        note = ${note}, updated_at = now()
    where user_id = ${user_id} and media_id = ${mediaId}`;
}

/** Makes media favourites, or no longer. Returns the ids of those that it changed. */
export async function markFavourite(tx: Transaction, { user_id }: Viewer, mediaIds: string[], is: boolean) {
  const rows = is
    ? await tx<{ media_id: string }[]>`
        insert into media_mine as mine (user_id, media_id, is_favourite, favourited_at)
        select ${user_id}, media_id, true, now() from unnest(${mediaIds}::uuid[]) as given (media_id) order by media_id
        on conflict (user_id, media_id) do update set is_favourite = true, favourited_at = now(), updated_at = now()
          where not mine.is_favourite
        returning media_id`
    : await tx<{ media_id: string }[]>`
        update media_mine
        set is_favourite = false, favourited_at = null, updated_at = now()
        where user_id = ${user_id} and media_id = any(${mediaIds}::uuid[]) and is_favourite
        returning media_id`;
  return rows.map(({ media_id }) => media_id);
}

/** Archives media, or takes them out of the archive. Returns the ids of those that it changed. */
export async function markArchived(tx: Transaction, { user_id }: Viewer, mediaIds: string[], is: boolean) {
  const rows = is
    ? await tx<{ media_id: string }[]>`
        insert into media_mine as mine (user_id, media_id, archived_at)
        select ${user_id}, media_id, now() from unnest(${mediaIds}::uuid[]) as given (media_id) order by media_id
        on conflict (user_id, media_id) do update set archived_at = now(), updated_at = now()
          where mine.archived_at is null
        returning media_id`
    : await tx<{ media_id: string }[]>`
        update media_mine
        set archived_at = null, updated_at = now()
        where user_id = ${user_id} and media_id = any(${mediaIds}::uuid[]) and archived_at is not null
        returning media_id`;
  return rows.map(({ media_id }) => media_id);
}

/** Copies what people keep about a media to another one that replaces it. What they keep about that one stays. */
export async function copyMine(tx: Transaction, fromId: string, toId: string): Promise<void> {
  await tx`
    insert into media_mine as mine (
      user_id, media_id, is_favourite, favourited_at, archived_at, title, imported_title, note, updated_at
    )
    select user_id, ${toId}, is_favourite, favourited_at, archived_at, title, imported_title, note, updated_at
    from media_mine
    where media_id = ${fromId}
    order by user_id
    on conflict (user_id, media_id) do update
    set is_favourite = mine.is_favourite or excluded.is_favourite,
        favourited_at = case when mine.is_favourite then mine.favourited_at else excluded.favourited_at end,
        title = coalesce(mine.title, excluded.title),
        imported_title = coalesce(mine.imported_title, excluded.imported_title),
        note = case
          when mine.note is null or mine.note = excluded.note then coalesce(mine.note, excluded.note)
          when excluded.note is null then mine.note
          else mine.note || E'\n\n' || excluded.note
        end`;
  await tx`
    insert into media_tags (tag_id, media_id, user_id, added_by, rule_id, created_at)
    select tag_id, ${toId}, user_id, added_by, rule_id, created_at
    from media_tags
    where media_id = ${fromId}
    order by tag_id
    on conflict do nothing`;
}
