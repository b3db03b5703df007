import { parseUrl } from '../../../platform/url.ts';

/** Stands for the archive in URLs, so that the relative addresses in a book can be resolved. */
export const BOOK = 'https://epub.invalid/';

export function urlOf(path: string): string {
  return BOOK + path.split('/').map(encodeURIComponent).join('/');
}

/** Returns the path in the archive of a URL; empty when it leads out of the archive. */
export function pathOf(url: string): string {
  const parsed = url.startsWith(BOOK) ? parseUrl(url) : undefined;
  return parsed ? decodeEscapes(parsed.pathname.slice(1)) : '';
}

/** Decodes the escapes of an address. A `%` that begins none stays, as in `100%.xhtml`. */
export function decodeEscapes(address: string): string {
  return address.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** Resolves an address in a file of the archive to a path; empty when it leads out of the archive. */
export function resolvePath(href: string, from: string): string {
  const url = parseUrl(href, urlOf(from));
  return url ? pathOf(url.href) : '';
}
