import type { OutgoingHttpHeaders } from 'node:http';

/** What is asked for at one address. */
export interface Hop {
  url: URL;
  method: string;
  headers: OutgoingHttpHeaders;
  body: Uint8Array | undefined;
}

/** What says nothing about who asks. Everything else a caller sets could be a credential by any name. */
const HARMLESS_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-length',
  'content-type',
  'range',
  'user-agent',
];

/** The next hop after a redirect: as browsers change methods, and without what is meant for the first host alone. */
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

/** Where an answer leads, or undefined when it is the last. */
export function redirectTarget(status: number, location: string | undefined): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? location : undefined;
}
