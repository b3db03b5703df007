import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { refusalOf } from './addresses.ts';
import { type Agents, createAgents } from './agents.ts';
import { parseAllowList } from './allow-list.ts';
import { ACCEPTED_ENCODINGS, decodedBody } from './body.ts';
import { decodeText } from './charset.ts';
import { EgressError, fromNodeError, fromStatus, notPublic } from './errors.ts';
import type { Interfaces } from './local-network.ts';
import { type Hop, nextHop, redirectTarget } from './redirect.ts';
import { type Resolver, systemResolver } from './resolver.ts';

export interface EgressLimits {
  /** From looking up the name until the connection stands, for each address that is gone to. */
  connectMs: number;
  /** From the beginning until the last byte of the body, redirects included. */
  totalMs: number;
  headerBytes: number;
  /** Of the body, compressed or not. */
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
  /** 0: a redirect is an answer like any other. */
  maxRedirects?: number;
  /**
   * Whether a connection is kept for the next request to the same addresses, which are looked up and checked for each
   * request nevertheless. A request that fails because the server just closed its kept connection is sent once more.
   */
  reusesConnections?: boolean;
  limits?: Partial<EgressLimits>;
  signal?: AbortSignal | undefined;
}

export interface EgressAnswer {
  /** Where the answer came from, after redirects. */
  url: string;
  status: number;
  headers: IncomingHttpHeaders;
}

export interface EgressResponse extends EgressAnswer {
  /** Decompressed and limited. Read it to its end, or destroy it. */
  body: Readable;
}

export interface EgressOptions {
  /** `host:port` or networks that may be reached although they are not public. */
  allow?: readonly string[];
  /** Who Nexus says it is. */
  userAgent?: string;
  limits?: Partial<EgressLimits>;
  resolver?: Resolver;
  interfaces?: Interfaces;
}

/** The one way out of Nexus. See docs/egress.md. */
export interface Egress {
  /** Any status is an answer here. */
  request(url: string, options?: EgressRequest): Promise<EgressResponse>;
  /** Throws for every status but success. */
  fetchBytes(url: string, options?: EgressRequest): Promise<EgressAnswer & { bytes: Buffer }>;
  fetchText(url: string, options?: EgressRequest): Promise<EgressAnswer & { text: string; charset: string }>;
  /** Throws what a request to this URL would throw before it is sent. */
  check(url: string, options?: Pick<EgressRequest, 'signal'>): Promise<void>;
}

const MOST_REDIRECTS = 5;

export function createEgress(options: EgressOptions = {}): Egress {
  const { resolver = systemResolver, userAgent = 'Nexus' } = options;
  const defaults = { ...DEFAULT_LIMITS, ...options.limits };
  const allow = parseAllowList(options.allow ?? []);
  const agents = createAgents();

  /** Every address of the host, all of them checked: whichever the connection takes, it was. */
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

  /** Sends a hop's request. `ending` is aborted when the connection does not stand in time. */
  async function send(
    hop: Hop,
    limits: EgressLimits,
    ending: AbortController,
    agents: Agents | undefined,
  ): Promise<IncomingMessage> {
    const timer = setTimeout(
      () => ending.abort(new EgressError('E_TIMEOUT', `${hop.url.host} could not be reached in time.`)),
      limits.connectMs,
    );
    const onConnect = () => clearTimeout(timer);
    try {
      const addresses = await unlessAborted(checkedAddresses(hop.url), ending.signal);
      return await exchange({ hop, addresses, limits, signal: ending.signal, agents, onConnect });
    } finally {
      clearTimeout(timer);
    }
  }

  async function request(url: string, given: EgressRequest = {}): Promise<EgressResponse> {
    const limits = { ...defaults, ...given.limits };
    let hop = firstHop(url, given, userAgent);
    const { ending, end } = endingOf(given.signal, limits.totalMs, () => hop.url.host);
    /** Whoever ended the request is the reason, whatever it looks like from the socket. */
    const explain = (error: unknown): Error =>
      ending.signal.aborted ? ending.signal.reason : fromNodeError(error, hop.url.host);

    const { maxRedirects = MOST_REDIRECTS } = given;
    const kept = given.reusesConnections ? agents : undefined;
    try {
      for (let redirects = 0; ; redirects++) {
        const response = await send(hop, limits, ending, kept).catch((error) => {
          throw explain(error);
        });
        const status = response.statusCode ?? 0;
        const location = redirectTarget(status, response.headers.location);
        if (location === undefined || maxRedirects === 0) {
          const body = closingOnError(response, () =>
            decodedBody(response, {
              method: hop.method,
              limit: limits.bodyBytes,
              host: hop.url.host,
              explain,
            }),
          );
          response.once('close', end);
          return { url: hop.url.href, status, headers: response.headers, body };
        }
        response.destroy();
        if (redirects >= maxRedirects) {
          throw new EgressError(
            'E_TOO_MANY_REDIRECTS',
            `${hop.url.host} redirects again and again. It may insist on cookies, which Nexus does not keep.`,
          );
        }
        hop = nextHop(hop, status, parseUrl(location, hop.url));
      }
    } catch (error) {
      end();
      throw error;
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

interface Exchange {
  hop: Hop;
  addresses: string[];
  limits: EgressLimits;
  signal: AbortSignal;
  /** Undefined for a connection of its own, which ends with the answer. */
  agents: Agents | undefined;
  onConnect(): void;
}

/** Makes one request to one of the addresses. Resolves when the headers are there. */
function exchange(options: Exchange): Promise<IncomingMessage> {
  const { hop, addresses, limits, signal, agents, onConnect } = options;
  const { url, method, headers, body } = hop;
  const isSecure = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestSecure : requestPlain)({
      method,
      hostname,
      port: portOf(url),
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, ...(!agents && { connection: 'close' }) },
      servername: isIP(hostname) ? '' : hostname,
      lookup: answering(addresses),
      agent: agents?.of(isSecure, addresses) ?? false,
      maxHeaderSize: limits.headerBytes,
    });
    // The option `signal` of Node does the same and takes several times as long.
    const giveUp = () => request.destroy(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    request.once('socket', (socket) => {
      if (request.reusedSocket) onConnect();
      else socket.once(isSecure ? 'secureConnect' : 'connect', onConnect);
    });
    request.once('response', resolve);
    // Stays for as long as the request: errors can follow the answer, and then reach whoever reads the body.
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      if (isStale && !signal.aborted) exchange({ ...options, agents: undefined }).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
  });
}

/** Node asks for the addresses of the name again when it connects. It gets those that were checked. */
function answering(addresses: string[]): LookupFunction {
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
  const said = base ? `${base.host} redirected to` : 'Nexus was given';
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new EgressError(
      'E_INVALID_URL',
      `${said} an address that does not begin with http:// or https://.`,
    );
  }
  if (url.username || url.password) {
    throw new EgressError('E_INVALID_URL', `${said} an address with a name or password in it.`);
  }
  return url;
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

/** The end of a request before its time: by its caller, or by the deadline, which spans the body. */
function endingOf(signal: AbortSignal | undefined, totalMs: number, host: () => string) {
  const ending = new AbortController();
  const timer = setTimeout(
    () => ending.abort(new EgressError('E_TIMEOUT', `${host()} took longer than ${totalMs / 1000} seconds.`)),
    totalMs,
  ).unref();
  const onAbort = () => ending.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    ending,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Names are looked up by the system, which cannot be told to stop; but nobody has to wait for it. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function closingOnError<T>(response: IncomingMessage, work: () => T): T {
  try {
    return work();
  } catch (error) {
    response.destroy();
    throw error;
  }
}
