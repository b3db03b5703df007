import { MOST_TAGS_OF_MEDIA } from '../../../contract/limits.ts';
import type { Tag, TagLevel, TagReason } from '../../../contract/mine.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';

/** Why a media has a tag. */
export type AddedBy = 'person' | 'import' | 'rule';

export type TagRow = Pick<Tag, 'id' | 'name'>;

/** The tags of a person that have one of the names. */
async function findByNames(sql: Queryable, userId: string, names: readonly string[]): Promise<TagRow[]> {
  return sql<TagRow[]>`
    select id, name
    from tags
    where user_id = ${userId} and lower(name) = any(select lower(given) from unnest(${names}::text[]) as given)`;
}

/**
 * Blocks others who create, rename or delete tags of this person until the transaction ends. Creating a tag twice at once would
 * otherwise fail for one of the two.
 */
export async function lockTags(tx: Transaction, userId: string): Promise<void> {
  await tx`select from users where id = ${userId} for no key update`;
}

/** Like `findByNames`; keeps the tags from being renamed and deleted. Leaves out those that were while this waited. */
async function holdByNames(tx: Transaction, userId: string, names: readonly string[]): Promise<TagRow[]> {
  return tx<TagRow[]>`
    select id, name
    from tags
    where user_id = ${userId} and lower(name) = any(select lower(given) from unnest(${names}::text[]) as given)
    order by id
    for key share`;
}

/**
 * Finds or creates tags, and keeps them from being renamed and deleted. A tag keeps the spelling that it was created with.
 * Only what has to be created needs the lock; a tag that is renamed or deleted at this moment is created again.
 */
export async function ensureTags(
  tx: Transaction,
  userId: string,
  names: readonly string[],
  ids: readonly string[],
) {
  const known = await findByNames(tx, userId, names);
  if (known.length === names.length) {
    const held = await holdByNames(tx, userId, names);
    if (held.length === names.length) return held;
  }
  await lockTags(tx, userId);
  await tx`
    insert into tags (id, user_id, name)
    select distinct on (lower(name)) id, ${userId}, name
    from unnest(${ids}::uuid[], ${names}::text[]) with ordinality as given (id, name, place)
    order by lower(name), place
    on conflict (user_id, lower(name)) do nothing`;
  return holdByNames(tx, userId, names);
}

export async function countTags(sql: Queryable, userId: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*) from tags where user_id = ${userId}`;
  return row.count;
}

/** Gives media tags, except those that would have too many. Returns the ids of media that did not have all of them. */
export async function addTags(
  tx: Transaction,
  { user_id }: Viewer,
  {
    mediaIds,
    tagIds,
    addedBy,
    ruleId = null,
  }: { mediaIds: string[]; tagIds: string[]; addedBy: AddedBy; ruleId?: string | null | undefined },
): Promise<string[]> {
  const rows = await tx<{ media_id: string }[]>`
    with with_room as (
      select given.media_id
      from unnest(${mediaIds}::uuid[]) as given (media_id)
      where ${MOST_TAGS_OF_MEDIA - tagIds.length}::int >= (
        select count(*)
        from media_tags as other
        where other.media_id = given.media_id and other.user_id = ${user_id} and other.tag_id <> all(${tagIds}::uuid[])
      )
    ),
    added as (
      insert into media_tags (tag_id, media_id, user_id, added_by, rule_id)
      select tag_id, media_id, ${user_id}, ${addedBy}, ${ruleId}::uuid
      from unnest(${tagIds}::uuid[]) as tag (tag_id)
      cross join with_room
      order by tag_id, media_id
      on conflict do nothing
      returning media_id
    )
    select distinct media_id from added`;
  return rows.map(({ media_id }) => media_id);
}

/** Takes tags from media. Returns the ids of media that had one of them. */
export async function removeTags(
  tx: Transaction,
  { user_id }: Viewer,
  { mediaIds, names }: { mediaIds: string[]; names: string[] },
): Promise<string[]> {
  const rows = await tx<{ media_id: string }[]>`
    with removed as (
      delete from media_tags
      using tags
      where tags.id = media_tags.tag_id
        and tags.user_id = ${user_id}
        and lower(tags.name) = any(select lower(given) from unnest(${names}::text[]) as given)
        and media_tags.media_id = any(${mediaIds}::uuid[])
      returning media_tags.media_id
    )
    select distinct media_id from removed`;
  return rows.map(({ media_id }) => media_id);
}

/** Takes all other tags from a media. Returns whether there were any. */
export async function removeOtherTags(
  tx: Transaction,
  { user_id }: Viewer,
  mediaId: string,
  tagIds: string[],
) {
  const removed = await tx`
    delete from media_tags
    where media_id = ${mediaId} and user_id = ${user_id} and tag_id <> all(${tagIds}::uuid[])`;
  return removed.count > 0;
}

/** The number of media with a tag that are in the default library, and so can be read. */
const mediaCount = (sql: Queryable, { default_library_id }: Viewer) => sql`(
  select count(*)
  from media_tags
  join library_media as own on own.library_id = ${default_library_id} and own.media_id = media_tags.media_id
  where media_tags.tag_id = tags.id
)`;

export async function findTag(sql: Queryable, viewer: Viewer, id: string) {
  const [tag] = await sql<Tag[]>`
    select id, name, created_at, ${mediaCount(sql, viewer)} as media_count
    from tags
    where id = ${id} and user_id = ${viewer.user_id}`;
  return tag;
}

interface TagCursor {
  name: string;
}

/** Lists tags by name. */
export async function listTags(
  sql: Queryable,
  viewer: Viewer,
  { prefix, last, limit }: { prefix?: string | undefined; last: TagCursor | null; limit: number },
) {
  return sql<(Tag & { cursor: TagCursor })[]>`
    select
      id, name, created_at, ${mediaCount(sql, viewer)} as media_count,
      json_build_object('name', lower(name)) as cursor
    from tags
    where user_id = ${viewer.user_id}
      ${last === null ? sql`` : sql`and lower(name) collate "C" > ${last.name}`}
      ${prefix === undefined ? sql`` : sql`and strpos('/' || lower(name), '/' || lower(${prefix})) > 0`}
    order by lower(name) collate "C"
    limit ${limit}`;
}

/**
 * Lists the levels of the tree of tags by name: the tags, and the names before each `/`. Media in the default library are
 * collected once and joined: with hundreds of thousands of tags on media, looking up each takes ten times as long. Only levels
 * with several tags can meet a media twice.
 */
export async function listLevels(
  sql: Queryable,
  viewer: Viewer,
  { last, limit }: { last: TagCursor | null; limit: number },
) {
  return sql<(TagLevel & { cursor: TagCursor })[]>`
    with level as materialized (
      select
        (row_number() over (order by lower(part.name) collate "C"))::int as place,
        lower(part.name) as key,
        (array_agg(part.name order by part.is_whole desc, tags.id))[1] as name,
        (array_agg(tags.id) filter (where part.is_whole))[1] as tag_id,
        array_agg(tags.id) as tag_ids
      from tags
      cross join lateral string_to_array(tags.name, '/') as parts
      cross join lateral (
        select array_to_string(parts[1:depth], '/') as name, depth = cardinality(parts) as is_whole
        from generate_series(1, cardinality(parts)) as depth
      ) as part
      where tags.user_id = ${viewer.user_id}
        ${last === null ? sql`` : sql`and lower(part.name) collate "C" > ${last.name}`}
      group by lower(part.name)
      order by place
      limit ${limit}
    ),
    own as materialized (
      select media_id from library_media where library_id = ${viewer.default_library_id}
    ),
    alone as (
      select level.place, count(*) as count
      from level
      join media_tags on media_tags.tag_id = level.tag_ids[1]
      join own on own.media_id = media_tags.media_id
      where cardinality(level.tag_ids) = 1
      group by level.place
    ),
    once as (
      select level.place, media_tags.media_id, bool_or(media_tags.tag_id is not distinct from level.tag_id) as is_itself
      from level
      cross join lateral unnest(level.tag_ids) as below (tag_id)
      join media_tags on media_tags.tag_id = below.tag_id
      join own on own.media_id = media_tags.media_id
      where cardinality(level.tag_ids) > 1
      group by level.place, media_tags.media_id
    ),
    counted as (
      select place, count as nested_count, case when level.tag_id is null then 0 else count end as media_count
      from alone
      join level using (place)
      union all
      select place, count(*), count(*) filter (where is_itself) from once group by place
    )
    select
      level.name, level.tag_id,
      coalesce(counted.media_count, 0) as media_count, coalesce(counted.nested_count, 0) as nested_count,
      json_build_object('name', level.key) as cursor
    from level
    left join counted on counted.place = level.place
    order by level.place`;
}

/** Lists a tag and those below it. */
export async function listFamily(tx: Transaction, userId: string, { id, name }: TagRow): Promise<TagRow[]> {
  return tx<TagRow[]>`
    select id, name
    from tags
    where user_id = ${userId} and (id = ${id} or starts_with(lower(name), lower(${name}) || '/'))
    order by id
    for update`;
}

/** Gives tags names that nobody has, so that they do not meet each other's old names while they are renamed. */
export async function setNamesAside(tx: Transaction, tags: TagRow[]): Promise<void> {
  await tx`update tags set name = id::text where id = any(${tags.map(({ id }) => id)}::uuid[])`;
}

/** Renames a tag, or merges it into the one that has the name already. Returns the id of what has the name now. */
export async function renameOrMerge(tx: Transaction, userId: string, { id, name }: TagRow): Promise<string> {
  const [known] = await findByNames(tx, userId, [name]);
  if (!known || known.id === id) {
    await tx`update tags set name = ${name} where id = ${id}`;
    return id;
  }
  await tx`
    insert into media_tags (tag_id, media_id, user_id, added_by, rule_id, created_at)
    select ${known.id}, media_id, user_id, added_by, rule_id, created_at
    from media_tags
    where tag_id = ${id}
    order by media_id
    on conflict do nothing`;
  await tx`delete from tags where id = ${id}`;
  return known.id;
}

/** Lists the media that have one of the tags. */
export async function listTagged(tx: Transaction, tags: TagRow[]): Promise<string[]> {
  const rows = await tx<{ media_id: string }[]>`
    select distinct media_id
    from media_tags
    where tag_id = any(${tags.map(({ id }) => id)}::uuid[])
    order by media_id`;
  return rows.map(({ media_id }) => media_id);
}

/** Locks a tag, so that no more media get it. */
export async function lockTag(tx: Transaction, userId: string, id: string): Promise<TagRow | undefined> {
  const [tag] = await tx<TagRow[]>`
    select id, name from tags where id = ${id} and user_id = ${userId} for update`;
  return tag;
}

export async function deleteTag(tx: Transaction, id: string): Promise<void> {
  await tx`delete from tags where id = ${id}`;
}

/** Lists the viewer's tags of a media, with the reason for each. */
export async function listTagReasons(sql: Queryable, { user_id }: Viewer, mediaId: string) {
  return sql<TagReason[]>`
    select
      tags.name, media_tags.added_by, media_tags.created_at,
      case when rules.id is not null then json_build_object('id', rules.id, 'name', rules.name) end as rule
    from media_tags
    join tags on tags.id = media_tags.tag_id
    left join rules on rules.id = media_tags.rule_id
    where media_tags.media_id = ${mediaId} and media_tags.user_id = ${user_id}
    order by lower(tags.name)`;
}
