import type { Transaction } from '../../../platform/database/database.ts';

/*
 * Locks that keep events in order. A transaction gets its number with its first write, and events are read in the order
 * of these numbers. A transaction that writes something and then waits for a row may change that row later than a
 * transaction with a higher number, and its event would be read too early. These advisory locks are taken before
 * anything is written, so of two transactions that change the same thing the second also has the higher number, and a
 * mirror that is built from events equals the libraries.
 */

/** Waits for parallel changes of these libraries' contents, and for merges of these media. */
export async function lockContents(tx: Transaction, libraryIds: string[], mediaIds: string[] = []) {
  await tx`
    select pg_advisory_xact_lock(hashtextextended(id, 1))
    from unnest(${sorted(libraryIds)}::text[]) as library (id)`;
  if (mediaIds.length === 0) return;
  await tx`
    select pg_advisory_xact_lock_shared(hashtextextended(id, 2))
    from unnest(${sorted(mediaIds)}::text[]) as media (id)`;
}

/**
 * Waits for parallel additions of the same link to these libraries, and for other changes of their contents, but not for
 * additions of other links: each is its own thing, and many people and programs save at once.
 */
export async function lockAddition(tx: Transaction, libraryIds: string[], link: string): Promise<void> {
  await tx`
    select
      pg_advisory_xact_lock_shared(hashtextextended(id, 1)),
      pg_advisory_xact_lock(hashtextextended(id || ' ' || ${link}, 3))
    from unnest(${sorted(libraryIds)}::text[]) as library (id)`;
}

/** Waits for parallel additions and removals of these media in any library, and blocks new ones. */
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

/** Returns ids without duplicates, in the same order for all transactions. */
function sorted(ids: string[]): string[] {
  return [...new Set(ids)].sort();
}
