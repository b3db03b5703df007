import { NexusError } from '../../../contract/errors.ts';
import { identify, LONGEST_URL, type UrlIdentity } from './url.ts';

/** A link as somebody saves it. */
export interface Link extends UrlIdentity {
  kind: 'web_article' | 'video';
  title: string;
  /** The address as they typed it. */
  requested_url: string;
  /** When they saved it in another program, if that is known. */
  saved_at?: Date | undefined;
}

/** Throws `E_INVALID_URL` for a URL that Nexus does not save. */
export function readLink(kind: Link['kind'], url: URL): Link {
  const identity = identify(kind, url);
  if (identity.canonical_url.length > LONGEST_URL) {
    throw new NexusError(
      'E_INVALID_URL',
      `The URL has more than ${LONGEST_URL} characters once it is encoded.`,
    );
  }
  return { ...identity, kind, title: titleFrom(identity), requested_url: url.href };
}

/** The title until the page gives one. Everybody who saves the link may see it, so it has no query. */
function titleFrom({ canonical_url, provider_id }: UrlIdentity): string {
  const { host, pathname } = new URL(canonical_url);
  if (provider_id !== null) return `youtube.com/watch?v=${provider_id}`;
  return `${host}${pathname === '/' ? '' : pathname}`.slice(0, 1000);
}

/** Identifies the media of a link: there is one for each kind and canonical address. */
export function linkKey({ kind, canonical_url }: { kind: string; canonical_url: string }): string {
  return `${kind} ${canonical_url}`;
}
