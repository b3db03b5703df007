import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { isReadable } from '../media/processing/lifecycle.ts';
import type { GraphSource, Projection } from './work.ts';

/** The source of a projection, and its hash. */
interface Source extends GraphSource {
  media_id: string;
  source_hash: Buffer;
}

/** Lists the sources of readable documents. */
export async function listSources(sql: Queryable, mediaIds: string[]): Promise<Source[]> {
  return sql<Source[]>`
    select
      media.id as media_id, coalesce(media.plain_text, '') as text, media.language,
      array(
        select html_sanitized from media_fragments where media_fragments.media_id = media.id order by idx
      ) as html,
      ${sourceHash(sql)} as source_hash
    from media
    where media.id = any(${mediaIds}::uuid[]) and ${isReadable(sql)}
    order by media.id`;
}

const hashOf = (sql: Queryable, text: SqlFragment) => sql`sha256(convert_to(${text}, 'UTF8'))`;

/** The hash of everything in a row of `media` that a projection depends on. */
function sourceHash(sql: Queryable): SqlFragment {
  return sql`
    sha256(
      ${hashOf(sql, sql`coalesce(media.language, '')`)}
        || ${hashOf(sql, sql`coalesce(media.plain_text, '')`)}
        || coalesce(
          (
            select string_agg(${hashOf(sql, sql`html_sanitized`)}, ''::bytea order by idx)
            from media_fragments
            where media_fragments.media_id = media.id
          ),
          ''
        )
    )`;
}

/** The fingerprint of a source and of the rows of its projection. */
function fingerprint(sql: Queryable, source: SqlFragment): SqlFragment {
  return sql`
    sha256(
      ${source}
        || ${hashOf(
          sql,
          sql`
            jsonb_build_array(
              (
                select jsonb_agg(jsonb_build_array(kind, entity, name, mentions) order by kind, entity)
                from document_entities
                where document_entities.media_id = document_graph.media_id
              ),
              (
                select jsonb_agg(canonical_url order by canonical_url)
                from document_links
                where document_links.media_id = document_graph.media_id
              )
            )::text`,
        )}
    )`;
}

/**
 * Lists the documents whose projection has to be checked: it is missing, was made by another projector, or no longer
 * has its fingerprint because the source or the rows have changed.
 */
export async function listSuspects(sql: Queryable, projector: string, mediaIds: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select media.id
    from media
    left join document_graph on document_graph.media_id = media.id
    where media.id = any(${mediaIds}::uuid[])
      and ${isReadable(sql)}
      and (
        document_graph.projector is distinct from ${projector}
        or document_graph.fingerprint is distinct from ${fingerprint(sql, sourceHash(sql))}
      )
    order by media.id`;
  return rows.map(({ id }) => id);
}

/** A document with its projection. */
export interface Projected extends Projection, Pick<Source, 'media_id' | 'source_hash'> {}

export async function writeProjections(tx: Transaction, projector: string, documents: Projected[]) {
  const ids = documents.map(({ media_id }) => media_id).sort();
  await tx`
    insert into document_graph (media_id, projector)
    select media_id, ${projector} from unnest(${ids}::uuid[]) as given (media_id)
    on conflict (media_id) do update set projector = excluded.projector, projected_at = now()`;
  await tx`delete from document_entities where media_id = any(${ids}::uuid[])`;
  await tx`delete from document_links where media_id = any(${ids}::uuid[])`;
  const entities = documents.flatMap(({ media_id, entities: found }) =>
    found.map((entity) => ({ media_id, ...entity })),
  );
  await tx`
    insert into document_entities (media_id, kind, entity, name, mentions)
    select *
    from unnest(
      ${entities.map(({ media_id }) => media_id)}::uuid[],
      ${entities.map(({ kind }) => kind)}::text[],
      ${entities.map(({ entity }) => entity)}::text[],
      ${entities.map(({ name }) => name)}::text[],
      ${entities.map(({ mentions }) => mentions)}::int[]
    )`;
  const links = documents.flatMap(({ media_id, links: found }) => found.map((url) => ({ media_id, url })));
  await tx`
    insert into document_links (media_id, canonical_url)
    select *
    from unnest(
      ${links.map(({ media_id }) => media_id)}::uuid[],
      ${links.map(({ url }) => url)}::text[]
    )`;
  await tx`
    update document_graph
    set fingerprint = ${fingerprint(tx, tx`given.source_hash`)}
    from unnest(
      ${documents.map(({ media_id }) => media_id)}::uuid[],
      ${documents.map(({ source_hash }) => source_hash)}::bytea[]
    ) as given (media_id, source_hash)
    where document_graph.media_id = given.media_id`;
}

export async function deleteProjection(sql: Queryable, mediaId: string): Promise<void> {
  await sql`delete from document_graph where media_id = ${mediaId}`;
}

/** Returns the stored projections of documents. */
export async function listProjections(sql: Queryable, mediaIds: string[]) {
  return sql<(Projection & { media_id: string; projector: string })[]>`
    select
      media_id, projector,
      array(
        select jsonb_build_object('kind', kind, 'entity', entity, 'name', name, 'mentions', mentions)
        from document_entities
        where document_entities.media_id = document_graph.media_id
      ) as entities,
      array(
        select canonical_url from document_links where document_links.media_id = document_graph.media_id
      ) as links
    from document_graph
    where media_id = any(${mediaIds}::uuid[])`;
}

/** Finds a document with its projection. */
export async function findGraphDocument(sql: Queryable, mediaId: string) {
  const [media] = await sql<
    { media_id: string; title: string; kind: string; canonical_url: string | null }[]
  >`
    select id as media_id, title, kind, canonical_url from media where id = ${mediaId}`;
  const [projection] = await listProjections(sql, [mediaId]);
  return media && projection && { ...media, entities: projection.entities, links: projection.links };
}

/** Lists documents that have been readable for long enough to be in the graph. */
export async function listSettled(sql: Queryable, mediaIds: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id
    from media
    where id = any(${mediaIds}::uuid[]) and processing_completed_at < now() - interval '10 minutes'`;
  return rows.map(({ id }) => id);
}

/** Lists documents, readable for ten minutes, that are not in the graph or were put there by another projector. */
export async function listUnprojected(sql: Queryable, projector: string, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select media.id
    from media
    where ${isReadable(sql)}
      and media.processing_completed_at < now() - interval '10 minutes'
      and not exists (
        select
        from document_graph
        where document_graph.media_id = media.id and document_graph.projector = ${projector}
      )
    order by media.id
    limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Selects what the graph holds of media that cannot be read. */
export function unjustifiedProjections(sql: Queryable, mediaIds: string[]) {
  return sql`
    select 'graph_unjustified' as kind, document_graph.media_id
    from document_graph
    join media on media.id = document_graph.media_id
    where media.id = any(${mediaIds}::uuid[]) and not ${isReadable(sql)}`;
}

export async function deleteUnjustified(sql: Queryable, mediaIds: string[]): Promise<void> {
  await sql`
    delete from document_graph
    where media_id in (select media_id from (${unjustifiedProjections(sql, mediaIds)}) as unjustified)`;
}
