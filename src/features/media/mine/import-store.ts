import type { ImportedDetails, ImportedReading } from '../../../contract/import.ts';
import { MAX_NOTE, MOST_TAGS_OF_MEDIA } from '../../../contract/limits.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';

type Kept = Pick<ImportedDetails, 'title' | 'own_title' | 'is_favourite' | 'is_archived' | 'note'> & {
  media_id: string;
};

/** Says which details of a media an import has changed. */
export interface AddedMine {
  media_id: string;
  is_favourite: boolean;
  is_archived: boolean;
  has_title: boolean;
  has_note: boolean;
}

/**
 * Adds imported details to the person's own. A title of theirs stays. A note is put below theirs, unless it is there already
 * or would make it too long. Returns the media that it changed.
 */
export async function addMine(tx: Transaction, { user_id }: Viewer, given: Kept[]): Promise<AddedMine[]> {
  const column = <T>(read: (one: Kept) => T) => given.map(read);
  return tx<AddedMine[]>`
    with given as (
      select *
      from unnest(
        ${column(({ media_id }) => media_id)}::uuid[],
        ${column(({ is_favourite }) => is_favourite)}::boolean[],
        ${column(({ is_archived }) => is_archived)}::boolean[],
        ${column(({ own_title }) => own_title ?? null)}::text[],
        ${column(({ title }) => title ?? null)}::text[],
        ${column(({ note }) => note ?? null)}::text[]
      ) as given (media_id, is_favourite, is_archived, title, imported_title, note)
    ),
    before as (
      select media_mine.* from media_mine join given using (media_id) where user_id = ${user_id}
    ),
    written as (
      insert into media_mine as mine (
        user_id, media_id, is_favourite, favourited_at, archived_at, title, imported_title, note
      )
      select
        ${user_id}, media_id, is_favourite, case when is_favourite then now() end, case when is_archived then now() end,
        title, imported_title, note
      from given
      order by media_id
      on conflict (user_id, media_id) do update
      set is_favourite = mine.is_favourite or excluded.is_favourite,
          favourited_at = case when mine.is_favourite then mine.favourited_at else excluded.favourited_at end,
          archived_at = coalesce(mine.archived_at, excluded.archived_at),
          title = coalesce(mine.title, excluded.title),
          imported_title = coalesce(mine.imported_title, excluded.imported_title),
          note = case
            when mine.note is null then excluded.note
            when excluded.note is null or strpos(mine.note, excluded.note) > 0 then mine.note
            when char_length(mine.note) + 2 + char_length(excluded.note) > ${MAX_NOTE} then mine.note
            else mine.note || E'\n\n' || excluded.note
          end,
          updated_at = now()
      where (excluded.is_favourite and not mine.is_favourite)
        or (excluded.archived_at is not null and mine.archived_at is null)
        or (excluded.title is not null and mine.title is null)
        or (excluded.imported_title is not null and mine.imported_title is null)
        or (excluded.note is not null and strpos(coalesce(mine.note, ''), excluded.note) = 0)
      returning media_id, is_favourite, archived_at, title, imported_title, note
    )
    select
      media_id,
      written.is_favourite and not coalesce(before.is_favourite, false) as is_favourite,
      written.archived_at is not null and before.archived_at is null as is_archived,
      (written.title, written.imported_title) is distinct from (before.title, before.imported_title) as has_title,
      written.note is distinct from before.note as has_note
    from written
    left join before using (media_id)`;
}

/** Writes reading progress of media that the person has not started. */
export async function addReadings(
  tx: Transaction,
  { user_id }: Viewer,
  given: (ImportedReading & { media_id: string })[],
): Promise<void> {
  const column = <T>(read: (one: (typeof given)[number]) => T) => given.map(read);
  await tx`
    insert into media_readings (user_id, media_id, progress, position, finished_at, updated_at)
    select
      ${user_id}, media_id, progress, position, least(finished_at, now()),
      least(coalesce(updated_at, finished_at, now()), now())
    from unnest(
      ${column(({ media_id }) => media_id)}::uuid[],
      ${column(({ progress }) => progress)}::float8[],
      ${column(({ position }) => (position == null ? null : JSON.stringify(position)))}::jsonb[],
      ${column(({ finished_at }) => finished_at)}::timestamptz[],
      ${column(({ updated_at }) => updated_at ?? null)}::timestamptz[]
    ) as given (media_id, progress, position, finished_at, updated_at)
    order by media_id
    on conflict do nothing`;
}

/**
 * Gives each media its tags, which exist; of those that would be too many, the first. Returns the ids of media that did not
 * have all of them.
 */
export async function addTagsByName(
  tx: Transaction,
  { user_id }: Viewer,
  given: { media_id: string; name: string }[],
): Promise<string[]> {
  const rows = await tx<{ media_id: string }[]>`
    with missing as (
      select tags.id as tag_id, given.media_id, min(given.place) as place
      from unnest(
        ${given.map(({ media_id }) => media_id)}::uuid[],
        ${given.map(({ name }) => name)}::text[]
      ) with ordinality as given (media_id, name, place)
      join tags on tags.user_id = ${user_id} and lower(tags.name) = lower(given.name)
      left join media_tags as known on known.tag_id = tags.id and known.media_id = given.media_id
      where known.tag_id is null
      group by tags.id, given.media_id
    ),
    counted as (
      select
        tag_id, media_id,
        row_number() over (partition by media_id order by place) + (
          select count(*)
          from media_tags as known
          where known.media_id = missing.media_id and known.user_id = ${user_id}
        ) as number
      from missing
    ),
    added as (
      insert into media_tags (tag_id, media_id, user_id, added_by)
      select tag_id, media_id, ${user_id}::uuid, 'import'
      from counted
      where number <= ${MOST_TAGS_OF_MEDIA}
      order by tag_id, media_id
      on conflict do nothing
      returning media_id
    )
    select distinct media_id from added`;
  return rows.map(({ media_id }) => media_id);
}
