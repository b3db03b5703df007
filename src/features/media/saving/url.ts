import { NexusError } from '../../../contract/errors.ts';
import { parseUrl } from '../../../platform/url.ts';

export const LONGEST_URL = 2048;

const YOUTUBE_HOSTS = /^(youtu\.be|((www|m|music)\.)?youtube\.com|(www\.)?youtube-nocookie\.com)$/;

/** Identifies the media of a URL, whoever saves it and in whichever spelling. */
interface UrlIdentity {
  canonical_url: string;
  provider: 'youtube' | null;
  provider_id: string | null;
  external_playback_url: string | null;
}

/** Parses a URL. Throws `E_INVALID_URL` for one that Nexus does not save. */
export function parseMediaUrl(text: string): URL {
  const given = text.trim();
  if (given.length > LONGEST_URL) throw invalid(`The URL has more than ${LONGEST_URL} characters.`);
  const url = parseUrl(given);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw invalid('The URL must start with http:// or https:// and name a site.');
  }
  if (url.username || url.password) throw invalid('The URL must not contain a username or password.');
  return url;
}

/**
 * Returns the canonical form of a URL. Parsing has lowered scheme and host and dropped the default port; the fragment
 * and tracking parameters are removed. The rest of the query keeps its order.
 */
export function canonicalUrl(url: URL): string {
  const canonical = new URL(url);
  canonical.hash = '';
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '' && !isTracking(parameter))
    .join('&');
  // The question mark is added here, because the setter would drop one that is part of the query.
  canonical.search = kept && `?${kept}`;
  return canonical.href;
}

function isTracking(parameter: string): boolean {
  const name = parameter.split('=', 1)[0]?.toLowerCase() ?? '';
  return name.startsWith('utm_') || name === 'gclid' || name === 'fbclid';
}

/** Throws `E_INVALID_URL` for a YouTube URL without a valid video id. */
export function identify(kind: 'web_article' | 'video', url: URL): UrlIdentity {
  const plain = { provider: null, provider_id: null, external_playback_url: null };
  if (kind === 'web_article' || !isYouTube(url)) return { canonical_url: canonicalUrl(url), ...plain };
  const id = youtubeId(url);
  if (!id) throw invalid('This YouTube URL does not lead to a video.');
  const watch = `https://www.youtube.com/watch?v=${id}`;
  return { canonical_url: watch, provider: 'youtube', provider_id: id, external_playback_url: watch };
}

/** Guesses the kind of a URL. A page may still turn out to be a PDF. */
export function inferKind(url: URL): 'web_article' | 'video' {
  return isYouTube(url) && youtubeId(url) ? 'video' : 'web_article';
}

function isYouTube(url: URL): boolean {
  return YOUTUBE_HOSTS.test(url.hostname);
}

function youtubeId(url: URL): string | undefined {
  const id =
    url.hostname === 'youtu.be'
      ? url.pathname.split('/')[1]
      : url.pathname === '/watch'
        ? url.searchParams.get('v')
        : /^\/(?:embed|shorts|live|v)\/([^/]+)/.exec(url.pathname)?.[1];
  return id && /^[A-Za-z0-9_-]{11}$/.test(id) ? id : undefined;
}

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
  if (identity.canonical_url.length > LONGEST_URL)
    throw invalid(`The URL has more than ${LONGEST_URL} characters once it is encoded.`);
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

function invalid(message: string): NexusError {
  return new NexusError('E_INVALID_URL', message);
}
