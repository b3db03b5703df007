import type { MediaKind, ProcessingStatus } from '../../../contract/media.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { newId } from '../../../platform/ids.ts';
import { isReadable } from '../processing/lifecycle.ts';
import { type Link, linkKey } from './url.ts';

export interface LinkMedia {
  id: string;
  kind: MediaKind;
  canonical_url: string;
  processing_status: ProcessingStatus;
}

/** A media that was created with the id of its first job, null if it has none. Its row is then written once. */
export type CreatedMedia = LinkMedia & { job_id: string | null };

/**
 * Creates the media of links that are not known yet. They are inserted in the order of their keys: two transactions that
 * create the same ones wait for each other and do not deadlock.
 */
export async function insertLinks(
  tx: Transaction,
  links: Link[],
  { createdBy, hasJob }: { createdBy: string; hasJob: (kind: MediaKind) => boolean },
): Promise<CreatedMedia[]> {
  const sorted = links.toSorted((a, b) => (linkKey(a) < linkKey(b) ? -1 : 1));
  const column = <T>(read: (link: Link) => T) => sorted.map(read);
  return tx<CreatedMedia[]>`
    insert into media (
      id, job_id, kind, title, given_title, created_by_user_id, canonical_url, provider, provider_id, external_playback_url
    )
    select id, job_id, kind, title, title, ${createdBy}, canonical_url, provider, provider_id, playback_url
    from unnest(
      ${column(() => newId())}::uuid[],
      ${column(({ kind }) => (hasJob(kind) ? newId() : null))}::uuid[],
      ${column(({ kind }) => kind)}::text[],
      ${column(({ title }) => title)}::text[],
      ${column(({ canonical_url }) => canonical_url)}::text[],
      ${column(({ provider }) => provider)}::text[],
      ${column(({ provider_id }) => provider_id)}::text[],
      ${column(({ external_playback_url }) => external_playback_url)}::text[]
    ) as link (id, job_id, kind, title, canonical_url, provider, provider_id, playback_url)
    on conflict (kind, canonical_url) where canonical_url is not null do nothing
    returning id, kind, canonical_url, processing_status, job_id`;
}

/** Finds the media of known links and keeps them from being deleted until the transaction ends. */
export async function holdKnownLinks(tx: Transaction, links: Link[]): Promise<LinkMedia[]> {
  return tx<LinkMedia[]>`
    select media.id, media.kind, media.canonical_url, media.processing_status
    from unnest(
      ${links.map(({ kind }) => kind)}::text[],
      ${links.map(({ canonical_url }) => canonical_url)}::text[]
    ) as link (kind, canonical_url)
    join media on media.kind = link.kind and media.canonical_url = link.canonical_url
    order by media.id
    for key share of media`;
}

/** A media whose page was just extracted, and the address it was found to have. */
export interface ExtractedPage {
  id: string;
  kind: MediaKind;
  canonicalUrl: string | null;
}

/** Finds another media that already has the address. */
export async function findKnown(tx: Transaction, { id, kind, canonicalUrl }: ExtractedPage) {
  if (canonicalUrl === null) return undefined;
  const [known] = await tx<{ id: string; is_readable: boolean }[]>`
    select media.id, ${isReadable(tx)} as is_readable
    from media
    where media.kind = ${kind} and media.canonical_url = ${canonicalUrl} and media.id <> ${id}`;
  return known;
}

export async function lockForUniting(tx: Transaction, loserId: string, winnerId: string): Promise<void> {
  await tx`select from media where id = ${loserId} for update`;
  await tx`select from media where id = ${winnerId} for no key update`;
}

/** Locks the loser, then the winner; false when one is gone. Waits for whoever is adding or removing the loser. */
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
