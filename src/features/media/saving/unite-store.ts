import type { MediaKind } from '../../../contract/media.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { isReadable } from '../processing/readable.ts';

/** A media whose page was just extracted, and the address it was found to have. */
export interface ExtractedPage {
  id: string;
  kind: MediaKind;
  canonicalUrl: string | null;
}

/** Another media that already has the address. */
export interface KnownMedia {
  id: string;
  is_readable: boolean;
}

export async function findKnown(
  tx: Transaction,
  { id, kind, canonicalUrl }: ExtractedPage,
): Promise<KnownMedia | undefined> {
  if (canonicalUrl === null) return undefined;
  const [known] = await tx<KnownMedia[]>`
    select media.id, ${isReadable(tx)} as is_readable
    from media
    where media.kind = ${kind} and media.canonical_url = ${canonicalUrl} and media.id <> ${id}`;
  return known;
}

export async function lockForUniting(tx: Transaction, loserId: string, winnerId: string): Promise<void> {
  await tx`select from media where id = ${loserId} for update`;
  await tx`select from media where id = ${winnerId} for no key update`;
}

/**
 * Locks the loser, then the winner; false when one is gone. Whoever was adding or removing the loser has ended before
 * the caller writes.
 */
export async function lockForReplacing(tx: Transaction, loserId: string, winnerId: string): Promise<boolean> {
  const loser = await tx`select from media where id = ${loserId} for update`;
  const winner = await tx`select from media where id = ${winnerId} for key share`;
  return loser.length === 1 && winner.length === 1;
}

/** Copies how far people have read. The position belongs to the other text and is not copied. */
export async function copyReadingProgress(tx: Transaction, fromId: string, toId: string): Promise<void> {
  await tx`
    insert into media_readings (user_id, media_id, progress, position, finished_at, updated_at)
    select user_id, ${toId}, progress, null, finished_at, updated_at
    from media_readings
    where media_id = ${fromId}
    on conflict do nothing`;
}
