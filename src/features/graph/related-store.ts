import type { RelatedMedia } from '../../contract/graph.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { canReadMedia, type Viewer } from '../libraries/access/can-read-media.ts';
import { addedAt, joinOwn, type MediaRow, mediaColumns, toMedia } from '../media/lists/media-row.ts';

/** An entity in more documents of the viewer than this is too common to relate them. */
const COMMON = 500;
/** The most documents with an entity whose access is checked. */
const CHECKED = 5000;
/** The most entities of a document that are followed, most mentioned first. */
const FOLLOWED = 40;
/** The most documents that link to a document, newest first. */
const LINKING = 1000;
/** The most shared entities that are named. */
const NAMED = 10;
/** A link counts as much as two entities that no other document has. */
const LINK_WEIGHT = 2;

/**
 * Finds the related documents that the viewer can read, best first. The work is bounded, however large the graph: at most
 * FOLLOWED entities with CHECKED documents each. Documents that the viewer cannot read count for nothing: how rare an
 * entity is would otherwise tell how many other people's documents mention it.
 */
export async function findRelated(sql: Queryable, viewer: Viewer, mediaId: string, limit: number) {
  const rows = await sql<(MediaRow & Omit<RelatedMedia, 'media'>)[]>`
    with mention as materialized (${readableMentions(sql, viewer, mediaId)}),
    candidate as (
      select
        media_id,
        sum(score) as score,
        sum(shared_entity_count)::int as shared_entity_count,
        bool_or(links_to) as links_to,
        bool_or(linked_from) as linked_from
      from (${sharingDocuments(sql)} union all ${linkedDocuments(sql, mediaId)}) as reason
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
      coalesce(named.shared_entities, '{}') as shared_entities
    from best
    join media on media.id = best.media_id
    left join (${namedEntities(sql)}) as named on named.media_id = best.media_id
    ${joinOwn(sql, viewer)}
    order by best.score desc, best.media_id desc`;
  return rows.map(
    ({ score, shared_entity_count, shared_entities, links_to, linked_from, ...media }): RelatedMedia => {
      const reasons = { score, shared_entity_count, shared_entities, links_to, linked_from };
      return { media: toMedia(media), ...reasons };
    },
  );
}

/** Selects the mentions of the followed entities in other documents that the viewer can read, and their weight. */
const readableMentions = (sql: Queryable, viewer: Viewer, mediaId: string): SqlFragment => sql`
  select
    media_id, kind, entity, name, mentions, mentions_there,
    ln(1 + least(mentions, mentions_there)::float8) / ln(2 + documents::float8) as weight
  from (
    select
      followed.*, other.media_id, other.mentions as mentions_there,
      count(*) over (partition by kind, entity) as documents
    from (
      select kind, entity, name, mentions
      from document_entities
      where media_id = ${mediaId}
      order by mentions desc, kind, entity
      limit ${FOLLOWED}
    ) as followed
    cross join lateral (
      select checked.media_id, checked.mentions
      from (
        select media_id, mentions
        from document_entities
        where entity = followed.entity and kind = followed.kind and media_id <> ${mediaId}
        limit ${CHECKED}
      ) as checked
      where ${canReadMedia(sql, viewer, sql`checked.media_id`)}
      limit ${COMMON}
    ) as other
  ) as counted
  where documents < ${COMMON}`;

/** Selects the documents that mention a followed entity. */
const sharingDocuments = (sql: Queryable): SqlFragment => sql`
  select
    media_id,
    sum(weight) as score,
    count(*) as shared_entity_count,
    false as links_to,
    false as linked_from
  from mention
  group by media_id`;

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

/** Selects the most significant entities that the document shares with each row of `best`. */
const namedEntities = (sql: Queryable): SqlFragment => sql`
  select
    media_id,
    (array_agg(
      jsonb_build_object('kind', kind, 'name', name, 'mentions', mentions, 'mentions_there', mentions_there)
      order by weight desc, entity
    ))[1:${NAMED}::int] as shared_entities
  from mention
  where media_id in (select media_id from best)
  group by media_id`;
