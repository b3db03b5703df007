import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import type { FragmentText, Lost, PassageLocation } from './find-quote.ts';
import type { Quote } from './quote.ts';

type MediaFragment = FragmentText & { id: string };

export async function listFragments(sql: Queryable, mediaId: string) {
  return sql<MediaFragment[]>`
    select id, idx, canonical_text from media_fragments where media_id = ${mediaId} order by idx`;
}

/** Keeps fragments from being replaced until the transaction ends. Returns how many of them are still there. */
export async function holdFragments(tx: Transaction, fragments: MediaFragment[]): Promise<number> {
  const held = await tx`
    select from media_fragments where id = any(${fragments.map(({ id }) => id)}::uuid[]) order by id for key share`;
  return held.length;
}

/** Lists highlights of a media whose passage is not placed, in the order of their ids. */
export async function listUnplaced(sql: Queryable, mediaId: string, after: string | null, limit: number) {
  return sql<(Lost & { id: string })[]>`
    select id, fragment_idx, start_offset as start, end_offset as end, exact, prefix, suffix
    from highlights
    where media_id = ${mediaId} and fragment_id is null ${after === null ? sql`` : sql`and id > ${after}`}
    order by id
    limit ${limit}`;
}

/** Returns those of the media that have highlights without a place. */
export async function listWithUnplaced(sql: Queryable, mediaIds: string[]): Promise<string[]> {
  if (mediaIds.length === 0) return [];
  const rows = await sql<{ media_id: string }[]>`
    select distinct media_id from highlights where media_id = any(${mediaIds}::uuid[]) and fragment_id is null`;
  return rows.map(({ media_id }) => media_id);
}

/** Lists readable media, or those of the given ones, that have highlights which nobody has looked for yet. */
export async function listUnsought(
  sql: Queryable,
  { mediaIds, limit }: { mediaIds?: string[]; limit: number },
): Promise<string[]> {
  if (mediaIds?.length === 0) return [];
  const rows = await sql<{ media_id: string }[]>`
    select distinct media_id
    from highlights
    where fragment_id is null
      and lost_at is null
      and exists (select from media_fragments where media_fragments.media_id = highlights.media_id)
      ${mediaIds === undefined ? sql`` : sql`and media_id = any(${mediaIds}::uuid[])`}
    limit ${limit}`;
  return rows.map(({ media_id }) => media_id);
}

/** The words that a highlight had first, by which an import knows it again. */
export const formerExact = (sql: Queryable, exact: SqlFragment) => sql`
  case when highlights.exact = ${exact} then former_exact else coalesce(former_exact, highlights.exact) end`;

/** The location of a passage in the text, and its quote there. */
export type PlacedPassage = PassageLocation & Quote & { fragment_id: string };
type PlacedHighlight = PlacedPassage & { id: string };

/** Places highlights, except those that somebody has placed in the meantime. */
export async function placeMany(tx: Transaction, placed: PlacedHighlight[]): Promise<void> {
  const column = <T>(read: (one: PlacedHighlight) => T) => placed.map(read);
  await tx`
    update highlights
    set fragment_id = given.fragment_id, fragment_idx = given.fragment_idx, start_offset = given.start_offset,
        end_offset = given.end_offset, exact = given.exact, prefix = given.prefix, suffix = given.suffix,
        former_exact = ${formerExact(tx, tx`given.exact`)}, lost_at = null
    from unnest(
      ${column(({ id }) => id)}::uuid[],
      ${column(({ fragment_id }) => fragment_id)}::uuid[],
      ${column(({ fragment_idx }) => fragment_idx)}::int[],
      ${column(({ start }) => start)}::int[],
      ${column(({ end }) => end)}::int[],
      ${column(({ exact }) => exact)}::text[],
      ${column(({ prefix }) => prefix)}::text[],
      ${column(({ suffix }) => suffix)}::text[]
    ) as given (id, fragment_id, fragment_idx, start_offset, end_offset, exact, prefix, suffix)
    where highlights.id = given.id and highlights.fragment_id is null`;
}

export async function markLost(tx: Transaction, lost: { id: string }[]): Promise<void> {
  await tx`
    update highlights
    set lost_at = now()
    where id = any(${lost.map(({ id }) => id)}::uuid[]) and fragment_id is null`;
}

/**
 * Moves highlights, and with them their shares, to another media, where they are not placed yet. Shares with libraries that
 * do not contain the first media have no effect, and must not get one because they contain the other.
 */
export async function moveHighlights(tx: Transaction, fromId: string, toId: string) {
  await tx`
    delete from highlight_shares as share
    using highlights
    where highlights.media_id = ${fromId}
      and share.highlight_id = highlights.id
      and not exists (
        select
        from library_media as listed
        where listed.library_id = share.library_id and listed.media_id = ${fromId}
      )`;
  return tx<{ id: string; media_id: string; user_id: string; is_private: boolean }[]>`
    update highlights
    set media_id = ${toId}, fragment_id = null, lost_at = null
    where media_id = ${fromId}
    returning
      id, media_id, user_id,
      not exists (select from highlight_shares where highlight_id = highlights.id) as is_private`;
}
