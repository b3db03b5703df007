import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { refusalOf } from './addresses.ts';
import { parseAllowList } from './allow-list.ts';
import { ACCEPTED_ENCODINGS, decodedBody } from './body.ts';
import { decodeText } from './charset.ts';
import { EgressError, fromNodeError, fromStatus, notPublic } from './errors.ts';
import type { Interfaces } from './local-network.ts';
import { type Hop, nextHop, redirectTarget } from './redirect.ts';
import { type Resolver, systemResolver } from './resolver.ts';

export interface EgressLimits {
  /** From the DNS lookup until the connection is established, for each hop. */
  connectMs: number;
  /** From the start until the last byte of the body, including redirects. */
  totalMs: number;
  headerBytes: number;
  /** The maximum size of the body, both compressed and decompressed. */
  bodyBytes: number;
}

export const DEFAULT_LIMITS: EgressLimits = {
  connectMs: 10_000,
  totalMs: 30_000,
  headerBytes: 32 * 1024,
  bodyBytes: 20 * 1024 * 1024,
};

export interface EgressRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** 0: redirects are returned as responses. */
  maxRedirects?: number;
  limits?: Partial<EgressLimits>;
  signal?: AbortSignal | undefined;
}

export interface EgressAnswer {
  /** The final URL, after redirects. */
  url: string;
  status: number;
  headers: IncomingHttpHeaders;
}

export interface EgressResponse extends EgressAnswer {
  /** Decompressed and limited in size. Read it to its end, or destroy it. */
  body: Readable;
}

export interface EgressOptions {
  /** `host:port` or networks that are allowed although they are not public. */
  allow?: readonly string[];
  userAgent?: string;
  limits?: Partial<EgressLimits>;
  resolver?: Resolver;
  interfaces?: Interfaces;
}

/** The HTTP client for all outgoing requests. See docs/egress.md. */
export interface Egress {
  /** Sends a request. Resolves with any status. */
  request(url: string, options?: EgressRequest): Promise<EgressResponse>;
  /** Reads the whole body. Throws unless the status is 2xx. */
  fetchBytes(url: string, options?: EgressRequest): Promise<EgressAnswer & { bytes: Buffer }>;
  fetchText(url: string, options?: EgressRequest): Promise<EgressAnswer & { text: string; charset: string }>;
  /** Throws if the URL is invalid or its host is not allowed, without sending a request. */
  check(url: string, options?: Pick<EgressRequest, 'signal'>): Promise<void>;
}

const MAX_REDIRECTS = 5;

export function createEgress(options: EgressOptions = {}): Egress {
  const { resolver = systemResolver, userAgent = 'Nexus' } = options;
  const defaults = { ...DEFAULT_LIMITS, ...options.limits };
  const allow = parseAllowList(options.allow ?? []);

  /** Returns all addresses of a host. Throws if one is not allowed, because the connection may use any of them. */
  async function checkedAddresses(url: URL): Promise<string[]> {
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = isIP(hostname) ? [hostname] : await resolver(hostname);
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    if (allow.allowsHost(url.hostname, portOf(url))) return addresses;
    for (const address of addresses) {
      const refusal = allow.allowsAddress(address) ? undefined : refusalOf(address, options.interfaces);
      if (refusal) throw notPublic(url.host, new Error(`${address} is ${refusal}`));
    }
    return addresses;
  }

  async function send(hop: Hop, limits: EgressLimits, signal: AbortSignal): Promise<IncomingMessage> {
    const connecting = new AbortController();
    const timer = setTimeout(
      () => connecting.abort(new EgressError('E_TIMEOUT', `${hop.url.host} took too long to connect.`)),
      limits.connectMs,
    );
    try {
      const addresses = await unlessAborted(
        checkedAddresses(hop.url),
        AbortSignal.any([signal, connecting.signal]),
      );
      const onConnect = () => clearTimeout(timer);
      return await exchange(hop, { addresses, limits, signal, connecting: connecting.signal, onConnect });
    } catch (error) {
      throw connecting.signal.aborted ? connecting.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async function request(url: string, given: EgressRequest = {}): Promise<EgressResponse> {
    const limits = { ...defaults, ...given.limits };
    const deadline = AbortSignal.timeout(limits.totalMs);
    const signal = given.signal ? AbortSignal.any([given.signal, deadline]) : deadline;
    let hop = firstHop(url, given, userAgent);

    /** Returns the cause of an error: the caller's abort, the timeout, or the error of the socket. */
    const explain = (error: unknown): Error => {
      if (given.signal?.aborted) return given.signal.reason;
      if (!deadline.aborted) return fromNodeError(error, hop.url.host);
      return new EgressError(
        'E_TIMEOUT',
        `${hop.url.host} took longer than ${limits.totalMs / 1000} seconds to respond.`,
      );
    };

    const { maxRedirects = MAX_REDIRECTS } = given;
    for (let redirects = 0; ; redirects++) {
      const response = await send(hop, limits, signal).catch((error) => {
        throw explain(error);
      });
      const status = response.statusCode ?? 0;
      const location = redirectTarget(status, response.headers.location);
      if (location === undefined || maxRedirects === 0) {
        const { method, url } = hop;
        const body = closeOnError(response, () =>
          decodedBody(response, { method, limit: limits.bodyBytes, host: url.host, explain }),
        );
        return { url: hop.url.href, status, headers: response.headers, body };
      }
      response.destroy();
      if (redirects >= maxRedirects) {
        throw new EgressError(
          'E_TOO_MANY_REDIRECTS',
          `${hop.url.host} redirects too often. It may require cookies, which Nexus does not support.`,
        );
      }
      hop = nextHop(hop, status, parseUrl(location, hop.url));
    }
  }

  async function fetchBytes(url: string, given?: EgressRequest) {
    const { body, ...answer } = await request(url, given);
    if (answer.status < 200 || answer.status > 299) {
      body.destroy();
      throw fromStatus(answer.status, answer.headers, answer.url);
    }
    return { ...answer, bytes: await buffer(body) };
  }

  return {
    request,
    fetchBytes,
    async fetchText(url, given) {
      const { bytes, ...answer } = await fetchBytes(url, given);
      return { ...answer, ...decodeText(bytes, answer.headers['content-type']) };
    },
    async check(url, { signal } = {}) {
      const parsed = parseUrl(url);
      const limit = AbortSignal.timeout(defaults.connectMs);
      await unlessAborted(checkedAddresses(parsed), signal ? AbortSignal.any([signal, limit]) : limit).catch(
        (error) => {
          if (signal?.aborted) throw signal.reason;
          throw fromNodeError(limit.aborted ? { code: 'ETIMEDOUT' } : error, parsed.host);
        },
      );
    },
  };
}

interface Connection {
  addresses: string[];
  limits: EgressLimits;
  signal: AbortSignal;
  /** Aborted when connecting takes too long. */
  connecting: AbortSignal;
  onConnect(): void;
}

/** Sends one request to one of the addresses. Resolves when the headers have arrived. */
function exchange(
  { url, method, headers, body }: Hop,
  { addresses, limits, signal, connecting, onConnect }: Connection,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestSecure : requestPlain)({
      method,
      hostname,
      port: portOf(url),
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, connection: 'close' },
      servername: isIP(hostname) ? '' : hostname,
      lookup: fixedLookup(addresses),
      // A new connection: the address of an existing one was not checked for this request.
      agent: false,
      maxHeaderSize: limits.headerBytes,
      signal,
    });
    const abort = () => request.destroy(connecting.reason);
    connecting.addEventListener('abort', abort, { once: true });
    request.once('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', onConnect));
    request.once('response', resolve);
    // Not `once`: errors can follow the response. The reader of the body gets those.
    request.on('error', reject);
    request.end(body);
  });
}

/** Returns a lookup function with the checked addresses, because Node.js resolves the name again when it connects. */
function fixedLookup(addresses: string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else if (first) callback(null, first.address, first.family);
  };
}

function firstHop(
  url: string,
  { method = 'GET', headers = {}, body }: EgressRequest,
  userAgent: string,
): Hop {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    url: parseUrl(url),
    method,
    headers: {
      'user-agent': userAgent,
      accept: '*/*',
      'accept-encoding': ACCEPTED_ENCODINGS,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      ...(bytes ? { 'content-length': bytes.length } : {}),
    },
    body: bytes,
  };
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined;
  const subject = base ? `The address that ${base.host} redirects to` : 'The address';
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new EgressError('E_INVALID_URL', `${subject} does not begin with http:// or https://.`);
  }
  if (url.username || url.password) {
    throw new EgressError('E_INVALID_URL', `${subject} contains a username or password.`);
  }
  return url;
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

/** Stops waiting for a promise when the signal is aborted, because a DNS lookup cannot be cancelled. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

function closeOnError<T>(response: IncomingMessage, work: () => T): T {
  try {
    return work();
  } catch (error) {
    response.destroy();
    throw error;
  }
}
