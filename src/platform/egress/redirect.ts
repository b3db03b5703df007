import type { OutgoingHttpHeaders } from 'node:http';

/** One request in a chain of redirects. */
export interface Hop {
  url: URL;
  method: string;
  headers: OutgoingHttpHeaders;
  body: string | Uint8Array | undefined;
}

/** Headers that contain no credentials. All others might, so they are not sent to another origin. */
const HARMLESS_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-length',
  'content-type',
  'range',
  'user-agent',
];

/** Returns the request that follows a redirect. It changes the method as browsers do, and drops possible credentials. */
export function nextHop(hop: Hop, status: number, url: URL): Hop {
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST';
  const headers = Object.entries(hop.headers).filter(
    ([name]) =>
      (url.origin === hop.url.origin || HARMLESS_HEADERS.includes(name)) &&
      !(becomesGet && name.startsWith('content-')),
  );
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(headers),
    body: becomesGet ? undefined : hop.body,
  };
}

/** Returns the target of a redirect; undefined when the response is not a redirect. */
export function redirectTarget(status: number, location: string | undefined): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined;
  return isRedirect ? asUtf8(location) : undefined;
}

/** Reads the bytes of a header as UTF-8, as browsers do; Node.js reads them as Latin-1, which stays if they are not UTF-8. */
function asUtf8(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}
