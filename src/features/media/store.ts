import type {
  FragmentEntry,
  LaidOutFragment,
  MediaFragment,
  MediaKind,
  MediaWithOutline,
  ProcessingStatus,
} from '../../contract/media.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { canReadMedia, type Viewer } from '../libraries/access/can-read-media.ts';
import { mayRetryMedia } from '../libraries/access/contributing.ts';
import type { Asset, Extraction, Known } from './extractors/extraction.ts';
import { addedAt, joinOwn, type MediaRow, mayEditTitle, mediaColumns, toMedia } from './lists/media-row.ts';
import type { ExtractedPage } from './saving/store.ts';

/** The columns of a media that processing needs. */
export interface MediaSource {
  id: string;
  kind: MediaKind;
  processing_status: ProcessingStatus;
  created_by_user_id: string;
  canonical_url: string | null;
  provider_id: string | null;
  file_path: string | null;
}

export interface StoredMediaFile {
  path: string;
  content_type: string;
  size: number;
  sha256: string;
}

/** Finds a media or, if a viewer is given, one that they can read. */
export async function findSource(sql: Queryable, mediaId: string, viewer?: Viewer) {
  const [source] = await sql<MediaSource[]>`
    select id, kind, processing_status, created_by_user_id, canonical_url, provider_id, file_path
    from media
    where id = ${mediaId} ${viewer ? sql`and ${canReadMedia(sql, viewer, mediaId)}` : sql``}`;
  return source;
}

/** Sets the current job of each media, unless it was created with it. */
export function assignJobs(tx: Transaction, mediaIds: string[], jobIds: string[]): void {
  tx.send(tx`
    with given as (
      select * from unnest(${mediaIds}::uuid[], ${jobIds}::uuid[]) as given (media_id, job_id)
    ),
    assigned as (
      update media
      set job_id = given.job_id
      from given
      where media.id = given.media_id and media.job_id is distinct from given.job_id
    )
    insert into media_jobs (media_id, job_id) select media_id, job_id from given`);
}

export async function setFile(tx: Transaction, mediaId: string, file: StoredMediaFile): Promise<void> {
  await tx`
    update media
    set file_path = ${file.path}, file_content_type = ${file.content_type}, file_size = ${file.size},
        file_sha256 = ${file.sha256}, updated_at = now()
    where id = ${mediaId}`;
}

/** Finds the media of this file that the user uploaded or saved by its URL. */
export async function findByFile(sql: Queryable, userId: string, kind: MediaKind, sha256: string) {
  const [known] = await sql<{ id: string }[]>`
    select media.id
    from media
    join users on users.id = ${userId}
    where media.file_sha256 = ${sha256}
      and media.kind = ${kind}
      and (
        (media.created_by_user_id = users.id and media.canonical_url is null)
        or exists (
          select
          from default_library_intrinsics as saved
          where saved.default_library_id = users.default_library_id and saved.media_id = media.id
        )
      )
    order by media.canonical_url is not null, media.id
    limit 1`;
  return known?.id;
}

/** Writes the metadata and fragments of an extraction. */
export async function writeExtraction(
  tx: Transaction,
  { id: mediaId, kind, canonicalUrl }: ExtractedPage,
  {
    title,
    metadata,
    plain_text,
    outline,
    page_count,
    is_link,
    book,
    fragments,
  }: Extraction & { page_count?: number },
): Promise<void> {
  await tx`
    update media
    set kind = ${kind},
        canonical_url = coalesce(${canonicalUrl}, canonical_url),
        plain_text = ${plain_text},
        outline = ${JSON.stringify(outline)},
        page_count = ${page_count ?? null},
        is_link = ${is_link ?? false},
        book = ${book ? JSON.stringify(book) : null}
    where id = ${mediaId}`;
  await writeKnown(tx, mediaId, { title, metadata });
  await tx`
    insert into media_fragments (
      id, media_id, idx, title, html_sanitized, canonical_text, t_start_ms, t_end_ms, layout, printed_pages
    )
    select *
    from unnest(
      ${fragments.map(() => newId())}::uuid[],
      ${fragments.map(() => mediaId)}::uuid[],
      ${fragments.map(({ idx }) => idx)}::int[],
      ${fragments.map((fragment) => fragment.title)}::text[],
      ${fragments.map(({ html_sanitized }) => html_sanitized)}::text[],
      ${fragments.map(({ canonical_text }) => canonical_text)}::text[],
      ${fragments.map(({ t_start_ms }) => t_start_ms)}::int[],
      ${fragments.map(({ t_end_ms }) => t_end_ms)}::int[],
      ${fragments.map(({ layout }) => layout && JSON.stringify(layout))}::jsonb[],
      ${fragments.map(({ printed_pages }) => printed_pages && JSON.stringify(printed_pages))}::jsonb[]
    )`;
}

/** Writes the title and metadata. A failed media has them too: a video without a transcript still has a title. */
export async function writeKnown(tx: Transaction, mediaId: string, { title, metadata }: Known) {
  await tx`
    update media
    set title = case when title_edited_at is null then coalesce(left(nullif(trim(${title}), ''), 1000), title) else title end,
        author = ${metadata.author ?? null},
        site = ${metadata.site ?? null},
        language = ${metadata.language ?? null},
        published = ${metadata.published ?? null},
        description = ${metadata.description ?? null},
        word_count = ${metadata.word_count ?? null},
        reading_minutes = ${metadata.reading_minutes ?? null},
        cover = ${metadata.cover ?? null},
        updated_at = now()
    where id = ${mediaId}`;
}

/** Locks a media that the viewer may read, so that its title does not change, and returns what an edit depends on. */
export async function lockTitle(tx: Transaction, viewer: Viewer, mediaId: string) {
  const [media] = await tx<Pick<MediaRow, 'kind' | 'title' | 'processing_status' | 'may_edit_title'>[]>`
    select kind, title, processing_status, ${mayEditTitle(tx, viewer)} as may_edit_title
    from media
    where id = ${mediaId} and ${canReadMedia(tx, viewer, mediaId)}
    for no key update of media`;
  return media;
}

/** Waits for parallel changes of a media, and blocks new ones. */
export async function lockMedia(tx: Transaction, mediaId: string): Promise<void> {
  await tx`select from media where id = ${mediaId} for no key update`;
}

/** Writes a title that extraction does not overwrite. */
export async function writeTitle(tx: Transaction, mediaId: string, title: string): Promise<void> {
  await tx`
    update media set title = ${title}, title_edited_at = now(), updated_at = now() where id = ${mediaId}`;
}

export type StoredAsset = Pick<Asset, 'name' | 'content_type'> & { path: string };

export async function insertAssets(tx: Transaction, mediaId: string, assets: StoredAsset[]): Promise<void> {
  await tx`
    insert into media_assets (media_id, name, content_type, path)
    select *
    from unnest(
      ${assets.map(() => mediaId)}::uuid[],
      ${assets.map(({ name }) => name)}::text[],
      ${assets.map(({ content_type }) => content_type)}::text[],
      ${assets.map(({ path }) => path)}::text[]
    )`;
}

/** Access is checked by the id that is given: with the column, PostgreSQL takes 0.2 ms longer to prepare each execution. */
export async function findMedia(sql: Queryable, viewer: Viewer, mediaId: string) {
  const [row] = await sql<(MediaRow & Pick<MediaWithOutline, 'outline' | 'book'>)[]>`
    select ${mediaColumns(sql, viewer)}, ${addedAt(sql, viewer)} as added_at, media.outline, media.book
    from media
    ${joinOwn(sql, viewer)}
    where media.id = ${mediaId} and ${canReadMedia(sql, viewer, mediaId)}`;
  return row && toMedia(row);
}

const fragmentColumns = (sql: Queryable) => sql`
  fragment.id, fragment.idx, fragment.title, fragment.html_sanitized, fragment.canonical_text, fragment.t_start_ms,
  fragment.t_end_ms`;

/** A page of fragments has no more text than this, unless its first fragment has more. */
const MOST_TEXT_OF_PAGE = 500_000;

interface FragmentPage {
  /** The index of the last fragment before the page; -1 for the first page. */
  after: number;
  limit: number;
}

/** Lists the fragments of a media that the viewer may read, one page of them; `is_last` tells whether more follow. */
export async function listFragments(
  sql: Queryable,
  viewer: Viewer,
  mediaId: string,
  { after, limit }: FragmentPage,
) {
  return sql<(MediaFragment & { is_last: boolean })[]>`
    with placed as (
      select media_id, idx, text_length, sum(text_length) over (order by idx) as total
      from (
        select media_id, idx, text_length
        from media_fragments
        where media_id = ${mediaId} and idx > ${after} and ${canReadMedia(sql, viewer, mediaId)}
        order by idx
        limit ${limit}
      ) as next
    )
    select
      ${fragmentColumns(sql)},
      not exists (
        select from media_fragments as later where later.media_id = ${mediaId} and later.idx > fragment.idx
      ) as is_last
    from placed
    join media_fragments as fragment using (media_id, idx)
    where placed.total - placed.text_length < ${MOST_TEXT_OF_PAGE}
    order by fragment.idx`;
}

/** Names the state of a row: every change of it has a transaction of its own. */
const fragmentState = (sql: Queryable) => sql`fragment.id || ' ' || fragment.xmin`;

export async function findFragment(sql: Queryable, viewer: Viewer, mediaId: string, idx: number) {
  const [fragment] = await sql<(LaidOutFragment & { state: string })[]>`
    select ${fragmentColumns(sql)}, fragment.layout, ${fragmentState(sql)} as state
    from media_fragments as fragment
    where fragment.media_id = ${mediaId} and fragment.idx = ${idx} and ${canReadMedia(sql, viewer, mediaId)}`;
  return fragment;
}

export async function findFragmentState(sql: Queryable, viewer: Viewer, mediaId: string, idx: number) {
  const [fragment] = await sql<{ state: string }[]>`
    select ${fragmentState(sql)} as state
    from media_fragments as fragment
    where fragment.media_id = ${mediaId} and fragment.idx = ${idx} and ${canReadMedia(sql, viewer, mediaId)}`;
  return fragment?.state;
}

/** Lists all fragments of a media that the viewer may read, without their text. */
export async function listFragmentEntries(sql: Queryable, viewer: Viewer, mediaId: string) {
  return sql<FragmentEntry[]>`
    select
      id, idx, title, t_start_ms, t_end_ms, text_length as length,
      (sum(text_length) over (order by idx) - text_length)::int as offset, printed_pages
    from media_fragments
    where media_id = ${mediaId} and ${canReadMedia(sql, viewer, mediaId)}
    order by idx`;
}

/** Lists the texts of all fragments without their HTML. */
export async function listTexts(sql: Queryable, mediaId: string) {
  return sql<Pick<MediaFragment, 'idx' | 'canonical_text'>[]>`
    select idx, canonical_text from media_fragments where media_id = ${mediaId} order by idx`;
}

/** Finds the kind of a media that the viewer can read, and whether it has text. */
export async function findDocument(sql: Queryable, viewer: Viewer, mediaId: string) {
  const [media] = await sql<{ kind: MediaKind; has_text: boolean }[]>`
    select kind, exists (select from media_fragments where media_id = media.id) as has_text
    from media
    where id = ${mediaId} and ${canReadMedia(sql, viewer, mediaId)}`;
  return media;
}

export async function findFile(sql: Queryable, viewer: Viewer, mediaId: string) {
  const [file] = await sql<{ path: string; content_type: string; title: string; kind: MediaKind }[]>`
    select file_path as path, file_content_type as content_type, title, kind
    from media
    where id = ${mediaId} and file_path is not null and ${canReadMedia(sql, viewer, mediaId)}`;
  return file;
}

export async function findAsset(sql: Queryable, viewer: Viewer, mediaId: string, name: string) {
  const [asset] = await sql<{ path: string; content_type: string }[]>`
    select path, content_type
    from media_assets
    where media_id = ${mediaId} and name = ${name} and ${canReadMedia(sql, viewer, mediaId)}`;
  return asset;
}

export async function mayRetry(sql: Queryable, viewer: Viewer, mediaId: string): Promise<boolean> {
  const [row] = await sql<{ may_retry: boolean }[]>`
    select ${mayRetryMedia(sql, viewer)} as may_retry from media where id = ${mediaId}`;
  return row?.may_retry ?? false;
}

/** Lists those of the media that failed and that the viewer may retry, in the order of their ids. */
export async function listRetriable(sql: Queryable, viewer: Viewer, mediaIds: string[]) {
  return sql<Pick<MediaSource, 'id' | 'kind' | 'processing_status'>[]>`
    select media.id, media.kind, media.processing_status
    from media
    where media.id = any(${mediaIds}::uuid[])
      and media.processing_status = 'failed'
      and media.failure_stage <> 'upload'
      and ${mayRetryMedia(sql, viewer)}
    order by media.id`;
}

/** Returns the paths that something refers to. */
export async function listKnownPaths(sql: Queryable, paths: string[]): Promise<string[]> {
  const known = await sql<{ path: string }[]>`
    select path
    from unnest(${paths}::text[]) as given (path)
    where exists (select from media where file_path = path)
      or exists (select from media_assets where media_assets.path = given.path)
      or exists (select from images where 'images/' || content_sha256 = path)`;
  return known.map(({ path }) => path);
}

/** Lists the titles of those of the media that the viewer may read. */
export async function listTitles(sql: Queryable, viewer: Viewer, ids: string[]) {
  return sql<{ id: string; name: string }[]>`
    select id, title as name
    from media
    where id = any(${ids}::uuid[]) and ${canReadMedia(sql, viewer, sql`media.id`)}`;
}
