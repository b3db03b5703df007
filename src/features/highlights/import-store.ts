import type { HighlightColor } from '../../contract/highlight-selectors.ts';
import type { PdfArea } from '../../contract/highlights.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { PassageLocation } from './find-quote.ts';
import type { Quote } from './quote.ts';

export interface UnplacedHighlight extends Quote, PassageLocation {
  id: string;
  media_id: string;
  pdf: PdfArea | null;
  color: HighlightColor;
  note: string | null;
  created_at: string | null;
  updated_at: string | null;
}

/** Blocks other imports of this person until the transaction ends: two that run at once would add a highlight twice. */
export async function lockImports(tx: Transaction, userId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('import_highlights:' || ${userId}, 0))`;
}

/** Lists the passages of media that a person has highlighted. */
export async function listOwnQuotes(tx: Transaction, userId: string, mediaIds: string[]) {
  return tx<(Quote & { media_id: string; former_exact: string | null; created_at: Date })[]>`
    select media_id, exact, prefix, suffix, former_exact, created_at
    from highlights
    where user_id = ${userId} and media_id = any(${mediaIds}::uuid[])`;
}

/** Inserts highlights whose passages nobody has looked for yet. They keep their dates, by which they are known again. */
export async function insertUnplaced(
  tx: Transaction,
  userId: string,
  given: UnplacedHighlight[],
): Promise<void> {
  const column = <T>(read: (one: UnplacedHighlight) => T) => given.map(read);
  await tx`
    insert into highlights (
      id, media_id, user_id, fragment_idx, start_offset, end_offset, exact, prefix, suffix, pdf, color, note,
      created_at, updated_at
    )
    select
      id, media_id, ${userId}, fragment_idx, start_offset, end_offset, exact, prefix, suffix, pdf, color, note,
      coalesce(created_at, now()), coalesce(updated_at, created_at, now())
    from unnest(
      ${column(({ id }) => id)}::uuid[],
      ${column(({ media_id }) => media_id)}::uuid[],
      ${column(({ fragment_idx }) => fragment_idx)}::int[],
      ${column(({ start }) => start)}::int[],
      ${column(({ end }) => end)}::int[],
      ${column(({ exact }) => exact)}::text[],
      ${column(({ prefix }) => prefix)}::text[],
      ${column(({ suffix }) => suffix)}::text[],
      ${column(({ pdf }) => pdf && JSON.stringify(pdf))}::jsonb[],
      ${column(({ color }) => color)}::text[],
      ${column(({ note }) => note)}::text[],
      ${column(({ created_at }) => created_at)}::timestamptz[],
      ${column(({ updated_at }) => updated_at)}::timestamptz[]
    ) as given (
      id, media_id, fragment_idx, start_offset, end_offset, exact, prefix, suffix, pdf, color, note, created_at,
      updated_at
    )`;
}
