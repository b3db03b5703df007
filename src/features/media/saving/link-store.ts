import type { MediaKind, ProcessingStatus } from '../../../contract/media.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { newId } from '../../../platform/ids.ts';
import { type Link, linkKey } from './link.ts';

export interface LinkMedia {
  id: string;
  kind: MediaKind;
  canonical_url: string;
}

/**
 * Creates the media of links that are not known yet. They are inserted in the order of their keys: two transactions that
 * create the same ones wait for each other and do not deadlock.
 */
export async function insertLinks(tx: Transaction, links: Link[], createdBy: string): Promise<LinkMedia[]> {
  const sorted = links.toSorted((a, b) => (linkKey(a) < linkKey(b) ? -1 : 1));
  const column = <T>(read: (link: Link) => T) => sorted.map(read);
  return tx<LinkMedia[]>`
    insert into media (
      id, kind, title, given_title, created_by_user_id, canonical_url, provider, provider_id, external_playback_url
    )
    select id, kind, title, title, ${createdBy}, canonical_url, provider, provider_id, playback_url
    from unnest(
      ${column(() => newId())}::uuid[],
      ${column(({ kind }) => kind)}::text[],
      ${column(({ title }) => title)}::text[],
      ${column(({ canonical_url }) => canonical_url)}::text[],
      ${column(({ provider }) => provider)}::text[],
      ${column(({ provider_id }) => provider_id)}::text[],
      ${column(({ external_playback_url }) => external_playback_url)}::text[]
    ) as link (id, kind, title, canonical_url, provider, provider_id, playback_url)
    on conflict (kind, canonical_url) where canonical_url is not null do nothing
    returning id, kind, canonical_url`;
}

/** Finds the media of known links and keeps them from being deleted until the transaction ends. */
export async function holdKnownLinks(
  tx: Transaction,
  links: Link[],
): Promise<(LinkMedia & { processing_status: ProcessingStatus })[]> {
  return tx<(LinkMedia & { processing_status: ProcessingStatus })[]>`
    select media.id, media.kind, media.canonical_url, media.processing_status
    from unnest(
      ${links.map(({ kind }) => kind)}::text[],
      ${links.map(({ canonical_url }) => canonical_url)}::text[]
    ) as link (kind, canonical_url)
    join media on media.kind = link.kind and media.canonical_url = link.canonical_url
    order by media.id
    for key share of media`;
}
