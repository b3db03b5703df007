import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { isReadable } from './processing/lifecycle.ts';
import { SEARCH_ROWS_VERSION, searchRowsOf } from './search/search-rows.ts';

/** A batch ends at this many bytes, or at the number of rows asked for. One row may have more. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Selects the first rows that fit into a batch, from an ordered selection with a column `bytes`. */
function asBatch(sql: Queryable, rows: SqlFragment, order: SqlFragment) {
  return sql`
    select *
    from (
      select *, sum(bytes) over (order by ${order}) as total_bytes, row_number() over (order by ${order}) as number
      from (${rows}) as selected
    ) as counted
    where number = 1 or total_bytes <= ${MOST_BYTES}
    order by number`;
}

/*
 * Each `next…` returns a function that lists the rows after a position, for `inBatches`.
 */

/** In the order of their ids, bounded by the length of their texts. */
export const nextMedia = (sql: Database) => async (after: string | null, most: number) => {
  const rows = sql`
    select id, octet_length(coalesce(plain_text, '')) as bytes
    from media
    ${after === null ? sql`` : sql`where id > ${after}`}
    order by id
    limit ${most}`;
  const batch = await sql<{ id: string }[]>`
    select id from (${asBatch(sql, rows, sql`id`)}) as batch order by number`;
  return batch.map(({ id }) => id);
};

export interface StoredFragment {
  id: string;
  media_id: string;
  idx: number;
  html_sanitized: string;
  canonical_text: string;
}

/** In the order of their media, bounded by the length of their HTML. */
export const nextFragments = (sql: Database) => async (after: StoredFragment | null, most: number) => {
  const rows = sql`
    select media_id, idx, octet_length(html_sanitized) as bytes
    from media_fragments
    ${after === null ? sql`` : sql`where (media_id, idx) > (${after.media_id}, ${after.idx})`}
    order by media_id, idx
    limit ${most}`;
  return sql<StoredFragment[]>`
    select fragment.id, fragment.media_id, fragment.idx, fragment.html_sanitized, fragment.canonical_text
    from (${asBatch(sql, rows, sql`media_id, idx`)}) as batch
    join media_fragments as fragment on fragment.media_id = batch.media_id and fragment.idx = batch.idx
    order by fragment.media_id, fragment.idx`;
};

/** Updates a text only while its HTML is the one that it was derived from. */
export async function rewriteCanonicalText(
  sql: Queryable,
  { id, html_sanitized }: StoredFragment,
  text: string,
): Promise<void> {
  await sql`
    update media_fragments
    set canonical_text = ${text}
    where id = ${id} and html_sanitized = ${html_sanitized}`;
}

const joinedText = (sql: Queryable) => sql`
  coalesce(
    (
      select string_agg(canonical_text, E'\n' order by idx)
      from media_fragments
      where media_fragments.media_id = media.id and canonical_text <> ''
    ),
    ''
  )`;

/** Selects readable media without text, or whose text differs from that of their fragments. */
export function textDifferences(sql: Queryable, mediaIds: string[]) {
  return sql`
    select
      case when fragments.exist then 'plain_text_differs' else 'fragments_missing' end as kind,
      media.id as media_id
    from media
    cross join lateral (
      select exists (select from media_fragments where media_fragments.media_id = media.id) as exist
    ) as fragments
    where media.id = any(${mediaIds}::uuid[])
      and ${isReadable(sql)}
      and (not fragments.exist or media.plain_text is distinct from ${joinedText(sql)})`;
}

export async function rewritePlainTexts(sql: Queryable, mediaIds: string[]): Promise<void> {
  await sql`
    update media
    set plain_text = ${joinedText(sql)}
    where media.id = any(${mediaIds}::uuid[])
      and ${isReadable(sql)}
      and exists (select from media_fragments where media_fragments.media_id = media.id)
      and media.plain_text is distinct from ${joinedText(sql)}`;
}

/**
 * Selects missing, different and surplus search rows of ready media, and rows of media that are not ready. Rows of an earlier
 * version may differ: they are rebuilt anyway.
 */
export function searchDifferences(sql: Queryable, mediaIds: string[]) {
  return sql`
    select
      case
        when found.idx is null then 'search_row_missing'
        when expected.idx is null then 'search_row_unjustified'
        else 'search_row_differs'
      end as kind,
      coalesce(expected.media_id, found.media_id) as media_id,
      coalesce(expected.idx, found.idx) as idx
    from (
      ${searchRowsOf(sql, sql`media.id = any(${mediaIds}::uuid[]) and media.processing_status = 'ready'`)}
    ) as expected
    full join (
      select media_id, idx, document, words, version from media_search where media_id = any(${mediaIds}::uuid[])
    ) as found
      on found.media_id = expected.media_id and found.idx = expected.idx
    where (found.document, found.words) is distinct from (expected.document, expected.words)
      and (expected.idx is null or found.idx is null or found.version = ${SEARCH_ROWS_VERSION})`;
}

export async function concernedMedia(sql: Queryable, differences: SqlFragment): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select distinct media_id from (${differences}) as difference`;
  return rows.map(({ media_id }) => media_id);
}

/** Whether the media should have search rows. Locks it, so that this does not change until the transaction ends. */
export async function lockReady(tx: Transaction, mediaId: string): Promise<boolean> {
  const [media] = await tx<{ is_ready: boolean }[]>`
    select processing_status = 'ready' as is_ready from media where id = ${mediaId} for no key update`;
  return media?.is_ready ?? false;
}

export async function deleteSearchRows(tx: Transaction, mediaId: string): Promise<void> {
  await tx`delete from media_search where media_id = ${mediaId}`;
}

export const nextMediaFiles = (sql: Database) => async (after: string | null, most: number) =>
  sql<{ id: string; path: string; size: number | null; sha256: string | null }[]>`
    select id, file_path as path, file_size as size, file_sha256 as sha256
    from media
    where file_path is not null ${after === null ? sql`` : sql`and id > ${after}`}
    order by id
    limit ${most}`;

export async function namesFile(sql: Database, mediaId: string, path: string): Promise<boolean> {
  const found = await sql`select from media where id = ${mediaId} and file_path = ${path}`;
  return found.length === 1;
}

interface StoredAsset {
  media_id: string;
  name: string;
  path: string;
}

export const nextAssets = (sql: Database) => async (after: StoredAsset | null, most: number) =>
  sql<StoredAsset[]>`
    select media_id, name, path
    from media_assets
    ${after === null ? sql`` : sql`where (media_id, name) > (${after.media_id}, ${after.name})`}
    order by media_id, name
    limit ${most}`;

export const nextImages = (sql: Database) => async (after: string | null, most: number) =>
  sql<{ url_sha256: string; path: string; sha256: string }[]>`
    select url_sha256, 'images/' || content_sha256 as path, content_sha256 as sha256
    from images
    ${after === null ? sql`` : sql`where url_sha256 > ${after}`}
    order by url_sha256
    limit ${most}`;

export async function forgetImage(sql: Queryable, urlSha256: string): Promise<void> {
  await sql`delete from images where url_sha256 = ${urlSha256}`;
}
