import type { RelatedMedia } from '../../contract/graph.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { canReadMedia, type Viewer } from '../libraries/access/can-read-media.ts';
import { addedAt, joinOwn, type MediaRow, mediaColumns, toMedia } from '../media/lists/media-row.ts';

/** An entity in more documents than this is too common to relate them. */
const COMMON = 500;
/** The most entities of a document that are followed, most significant first. */
const FOLLOWED = 40;
/** The most documents that link to a document, newest first. */
const LINKING = 1000;
/** The most shared entities that are named. */
const NAMED = 10;
/** A link counts as much as two entities that no other document has. */
const LINK_WEIGHT = 2;

/**
 * Finds the related documents that the viewer can read, best first. The work is bounded, however large the graph: at most
 * FOLLOWED entities with COMMON documents each are collected and sorted, and access is checked from the best one down,
 * until enough are found.
 */
export async function findRelated(sql: Queryable, viewer: Viewer, mediaId: string, limit: number) {
  const rows = await sql<(MediaRow & Omit<RelatedMedia, 'media'>)[]>`
    with followed as materialized (${followedEntities(sql, mediaId)}),
    candidate as (
      select
        media_id,
        sum(score) as score,
        sum(shared_entity_count)::int as shared_entity_count,
        bool_or(links_to) as links_to,
        bool_or(linked_from) as linked_from
      from (${sharingDocuments(sql, mediaId)} union all ${linkedDocuments(sql, mediaId)}) as reason
      group by media_id
    ),
    best as (
      select ranked.*
      from (select * from candidate order by score desc, media_id desc offset 0) as ranked
      where ${canReadMedia(sql, viewer, sql`ranked.media_id`)}
      limit ${limit}
    )
    select
      ${mediaColumns(sql, viewer)}, ${addedAt(sql, viewer)} as added_at,
      best.score, best.shared_entity_count, best.links_to, best.linked_from,
      array(${namedEntities(sql)}) as shared_entities
    from best
    join media on media.id = best.media_id
    ${joinOwn(sql, viewer)}
    order by best.score desc, best.media_id desc`;
  return rows.map(
    ({ score, shared_entity_count, shared_entities, links_to, linked_from, ...media }): RelatedMedia => {
      const reasons = { score, shared_entity_count, shared_entities, links_to, linked_from };
      return { media: toMedia(media), ...reasons };
    },
  );
}

/** Selects the most significant entities of a document: often mentioned in it, and rare elsewhere. */
const followedEntities = (sql: Queryable, mediaId: string): SqlFragment => sql`
  select kind, entity, name, mentions, 1 / ln(1 + documents::float8) as weight
  from (
    select
      mine.kind, mine.entity, mine.name, mine.mentions,
      (
        select count(*)
        from (
          select
          from document_entities as other
          where other.entity = mine.entity and other.kind = mine.kind
          limit ${COMMON + 1}
        ) as counted
      ) as documents
    from document_entities as mine
    where mine.media_id = ${mediaId}
  ) as own
  where documents between 2 and ${COMMON}
  order by ln(1 + mentions::float8) / ln(1 + documents::float8) desc, kind, entity
  limit ${FOLLOWED}`;

/** The weight of an entity that two documents share. */
const sharedWeight = (sql: Queryable): SqlFragment =>
  sql`followed.weight * ln(1 + least(followed.mentions, other.mentions)::float8)`;

/** Selects the documents that mention a followed entity. */
const sharingDocuments = (sql: Queryable, mediaId: string): SqlFragment => sql`
  select
    other.media_id,
    sum(${sharedWeight(sql)}) as score,
    count(*) as shared_entity_count,
    false as links_to,
    false as linked_from
  from followed
  join document_entities as other on other.entity = followed.entity and other.kind = followed.kind
  where other.media_id <> ${mediaId}
  group by other.media_id`;

/** Selects the documents that the document links to, and the newest that link to it. */
const linkedDocuments = (sql: Queryable, mediaId: string): SqlFragment => sql`
  select target.id, ${LINK_WEIGHT}::float8, 0, true, false
  from document_links as link
  join media as target
    on target.kind in ('web_article', 'video', 'pdf') and target.canonical_url = link.canonical_url
  where link.media_id = ${mediaId} and target.id <> ${mediaId}
  union all
  (
    select link.media_id, ${LINK_WEIGHT}::float8, 0, false, true
    from media as target
    join document_links as link on link.canonical_url = target.canonical_url
    where target.id = ${mediaId} and link.media_id <> ${mediaId}
    order by link.media_id desc
    limit ${LINKING}
  )`;

/**
 * Selects the most significant entities that the document shares with a row of `best`. `offset 0` makes PostgreSQL read
 * the entities of that document; through the entities it would read every document that mentions one.
 */
const namedEntities = (sql: Queryable): SqlFragment => sql`
  select jsonb_build_object(
    'kind', followed.kind, 'name', followed.name, 'mentions', followed.mentions, 'mentions_there', other.mentions
  )
  from followed
  join (
    select kind, entity, mentions from document_entities where media_id = best.media_id offset 0
  ) as other
    on other.kind = followed.kind and other.entity = followed.entity
  order by ${sharedWeight(sql)} desc, followed.entity
  limit ${NAMED}`;
