import type { Transaction } from '../../../platform/database/database.ts';

/*
 * Locks that keep events in order. A transaction gets its number with its first write, and events are read in the order of
 * these numbers. Somebody who waits for a row after they have written something may change it later than somebody with a
 * higher number, and would be heard too early. These advisory locks are taken before anything is written, so that of two
 * who change the same thing the second one also has the higher number: libraries mirrored from events are the libraries.
 */

/**
 * Waits for whoever else puts media into these libraries or takes them out, and for those of the media that are being
 * united with another one.
 */
export async function lockContents(
  tx: Transaction,
  libraryIds: string[],
  mediaIds: string[] = [],
): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(hashtextextended(id, 1))
    from unnest(${sorted(libraryIds)}::text[]) as library (id)`;
  if (mediaIds.length === 0) return;
  await tx`
    select pg_advisory_xact_lock_shared(hashtextextended(id, 2))
    from unnest(${sorted(mediaIds)}::text[]) as media (id)`;
}

/** Waits for whoever puts these media into libraries or takes them out, and keeps everybody else from it. */
export async function lockListings(tx: Transaction, mediaIds: string[]): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(hashtextextended(id, 2))
    from unnest(${sorted(mediaIds)}::text[]) as media (id)`;
}

/** Keeps media from being deleted until the transaction ends. Returns the ids that exist. */
export async function holdMedia(tx: Transaction, mediaIds: string[]): Promise<Set<string>> {
  const held = await tx<{ id: string }[]>`
    select id
    from media
    where id = any(${mediaIds}::uuid[])
    order by id
    for key share`;
  return new Set(held.map(({ id }) => id));
}

/** In one order for all. */
function sorted(ids: string[]): string[] {
  return [...new Set(ids)].sort();
}
