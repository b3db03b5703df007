import type { IncomingMessage } from 'node:http';
import { API } from '../contract/wire.ts';

/** The paths that the source documents give without the prefix. Requests for these paths are served by the same routes. */
const ALIASED = ['media', 'libraries', 'internal'];

const ALIAS = new RegExp(`^/(?:(?:${ALIASED.join('|')})(?=[/?]|$)|openapi\\.json(?=\\?|$))`);

/** Returns the URL of the API for a URL without its prefix; every other URL unchanged. */
export function canonicalUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const path = withoutOrigin(url);
  return ALIAS.test(path) ? API + path : url;
}

/** A request line may contain the whole address, as requests to a proxy do. */
export function withoutOrigin(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
}

/** Returns the path without the prefix that serves the same as a path of the API, if there is one. */
export function aliasOf(path: string): string | undefined {
  if (!path.startsWith(`${API}/`)) return undefined;
  const alias = path.slice(API.length);
  return ALIAS.test(alias) ? alias : undefined;
}
