import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';

/** A media, and when a transaction changed it: microseconds count, so it is the text of the database. */
export interface ChangedMedia {
  media_id: string;
  changed_at: string;
}

interface TaggedMedia {
  media_id: string;
  tags: string[];
}

/** Returns the tags that rules have added to media in this transaction. */
export async function listTaggedNow(tx: Transaction, { user_id }: Viewer, mediaIds: string[]) {
  return tx<TaggedMedia[]>`
    select media_tags.media_id, array_agg(tags.name order by lower(tags.name)) as tags
    from media_tags
    join tags on tags.id = media_tags.tag_id
    where media_tags.media_id = any(${mediaIds}::uuid[])
      and media_tags.user_id = ${user_id}
      and media_tags.added_by = 'rule'
      and media_tags.created_at = now()
    group by media_tags.media_id`;
}

/** Lists the tags that each media lacks, and whether it is archived or a favourite. */
export async function listMissing(sql: Queryable, { user_id }: Viewer, names: string[], mediaIds: string[]) {
  return sql<(TaggedMedia & { is_archived: boolean; is_favourite: boolean })[]>`
    select
      given.media_id,
      array(
        select wanted.name
        from unnest(${names}::text[]) as wanted (name)
        where not exists (
          select
          from media_tags
          join tags on tags.id = media_tags.tag_id and lower(tags.name) = lower(wanted.name)
          where media_tags.media_id = given.media_id and media_tags.user_id = ${user_id}
        )
        order by lower(wanted.name)
      ) as tags,
      mine.archived_at is not null as is_archived,
      coalesce(mine.is_favourite, false) as is_favourite
    from unnest(${mediaIds}::uuid[]) as given (media_id)
    left join media_mine as mine on mine.user_id = ${user_id} and mine.media_id = given.media_id`;
}

const changes = (sql: Queryable, given: ChangedMedia[]): SqlFragment => sql`
  unnest(
    ${given.map(({ media_id }) => media_id)}::uuid[],
    ${given.map(({ changed_at }) => changed_at)}::timestamptz[]
  ) as given (media_id, changed_at)`;

/** Removes the tags that a rule added at the given moments. Returns how many each media lost. */
export async function removeRuleTags(tx: Transaction, { user_id }: Viewer, given: ChangedMedia[]) {
  return tx<{ media_id: string; count: number }[]>`
    with removed as (
      delete from media_tags
      using ${changes(tx, given)}
      where media_tags.media_id = given.media_id
        and media_tags.created_at = given.changed_at
        and media_tags.user_id = ${user_id}
        and media_tags.added_by = 'rule'
      returning media_tags.media_id
    )
    select media_id, count(*) from removed group by media_id`;
}

/** Takes media out of the archive that were archived at the given moments. Returns their ids. */
export async function unarchiveSince(tx: Transaction, { user_id }: Viewer, given: ChangedMedia[]) {
  const rows = await tx<{ media_id: string }[]>`
    update media_mine as mine
    set archived_at = null, updated_at = now()
    from ${changes(tx, given)}
    where mine.user_id = ${user_id} and mine.media_id = given.media_id and mine.archived_at = given.changed_at
    returning mine.media_id`;
  return rows.map(({ media_id }) => media_id);
}

/** Takes media from the favourites that became such at the given moments. Returns their ids. */
export async function unfavouriteSince(tx: Transaction, { user_id }: Viewer, given: ChangedMedia[]) {
  const rows = await tx<{ media_id: string }[]>`
    update media_mine as mine
    set is_favourite = false, favourited_at = null, updated_at = now()
    from ${changes(tx, given)}
    where mine.user_id = ${user_id}
      and mine.media_id = given.media_id
      and mine.is_favourite
      and mine.favourited_at = given.changed_at
    returning mine.media_id`;
  return rows.map(({ media_id }) => media_id);
}
