import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Metrics } from '../telemetry/metrics.ts';
import { parseUrl } from '../url.ts';
import { refusalOf } from './addresses.ts';
import { type Agents, createAgents } from './agents.ts';
import { parseAllowList } from './allow-list.ts';
import { ACCEPTED_ENCODINGS, decodedBody } from './body.ts';
import { decodeText } from './charset.ts';
import { EgressError, fromNodeError, fromStatus, notPublic } from './errors.ts';
import { FollowedRequest } from './followed-request.ts';
import type { Interfaces } from './local-network.ts';
import { type Hop, nextHop, redirectTarget } from './redirect.ts';
import { type Resolver, systemResolver } from './resolver.ts';

interface EgressLimits {
  /** For the name lookup and the connection, of each request in a chain of redirects. */
  connectMs: number;
  /** For everything until the last byte of the body, redirects included. */
  totalMs: number;
  headerBytes: number;
  /** The largest body, before and after decompression. */
  bodyBytes: number;
}

const DEFAULT_LIMITS: EgressLimits = {
  connectMs: 10_000,
  totalMs: 30_000,
  headerBytes: 32 * 1024,
  bodyBytes: 20 * 1024 * 1024,
};

export interface EgressRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** With 0, a redirect is returned like any other response. */
  maxRedirects?: number;
  /**
   * Keeps the connection for the next request to the same addresses. They are looked up and checked for each request
   * nevertheless. A request that fails because the server just closed the kept connection is sent once more.
   */
  reusesConnections?: boolean;
  /** Sends the header `traceparent`, for receivers that take part in the trace. Sites that people save do not. */
  passesTrace?: boolean;
  limits?: Partial<EgressLimits>;
  signal?: AbortSignal | undefined;
}

interface EgressAnswer {
  /** The final URL, after redirects. */
  url: string;
  status: number;
  headers: IncomingHttpHeaders;
}

export interface EgressResponse extends EgressAnswer {
  /** The body, decompressed and limited. Read it to its end, or destroy it. */
  body: Readable;
}

export interface EgressOptions {
  /** Private addresses that may be reached: `host:port`, or networks. */
  allow?: readonly string[];
  limits?: Partial<EgressLimits>;
  resolver?: Resolver;
  interfaces?: Interfaces;
  metrics?: Pick<Metrics, 'observeEgress'> | undefined;
}

/** Outgoing requests. All requests of Nexus go through here; see docs/egress.md. */
export interface Egress {
  /** Resolves with the response, whatever its status. */
  request(url: string, options?: EgressRequest): Promise<EgressResponse>;
  /** Throws unless the status is 2xx. */
  fetchBytes(url: string, options?: EgressRequest): Promise<EgressAnswer & { bytes: Buffer }>;
  fetchText(url: string, options?: EgressRequest): Promise<EgressAnswer & { text: string; charset: string }>;
  /** Throws the error that a request to this URL would throw before it is sent. */
  check(url: string, options?: Pick<EgressRequest, 'signal'>): Promise<void>;
}

const MOST_REDIRECTS = 5;
const USER_AGENT = 'Nexus';

export function createEgress(options: EgressOptions = {}): Egress {
  const { resolver = systemResolver } = options;
  const defaults = { ...DEFAULT_LIMITS, ...options.limits };
  const allow = parseAllowList(options.allow ?? []);
  const agents = createAgents();

  /** Returns all addresses of the host. All are checked, because the connection may use any of them. */
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

  /** Sends one request. Ends it when the connection is not made in time. */
  async function send(
    hop: Hop,
    limits: EgressLimits,
    ending: Ending,
    agents: Agents | undefined,
  ): Promise<IncomingMessage> {
    const timer = setTimeout(
      () => ending.end(new EgressError('E_TIMEOUT', `${hop.url.host} could not be reached in time.`)),
      limits.connectMs,
    );
    const onConnect = () => clearTimeout(timer);
    try {
      const addresses = await unlessEnded(checkedAddresses(hop.url), ending);
      return await exchange({ hop, addresses, limits, ending, agents, onConnect });
    } finally {
      clearTimeout(timer);
    }
  }

  async function request(url: string, given: EgressRequest = {}): Promise<EgressResponse> {
    const limits = { ...defaults, ...given.limits };
    let hop = firstHop(url, given);
    const followed = new FollowedRequest(options.metrics, given.passesTrace ?? false);
    let failure: Error | undefined;
    const ending = new Ending(given.signal, limits.totalMs, () => hop.url.host);
    /** An abort or a timeout is reported as such, not as the socket error that it causes. */
    const explain = (error: unknown): Error => {
      failure = ending.reason ?? fromNodeError(error, hop.url.host);
      return failure;
    };

    const { maxRedirects = MOST_REDIRECTS } = given;
    const kept = given.reusesConnections ? agents : undefined;
    try {
      for (let redirects = 0; ; redirects++) {
        const response = await send(followed.begin(hop, redirects), limits, ending, kept).catch((error) => {
          throw explain(error);
        });
        const status = response.statusCode ?? 0;
        followed.answered(status);
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
          response.once('close', () => {
            ending.close();
            followed.end(failure ? { error: failure } : { status });
          });
          return { url: hop.url.href, status, headers: response.headers, body };
        }
        response.destroy();
        if (redirects >= maxRedirects) {
          throw new EgressError(
            'E_TOO_MANY_REDIRECTS',
            `${hop.url.host} redirects again and again. It may insist on cookies, which Nexus does not keep.`,
          );
        }
        followed.redirected();
        hop = nextHop(hop, status, webUrl(location, hop.url));
      }
    } catch (error) {
      ending.close();
      followed.end({ error });
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
      const parsed = webUrl(url);
      const ending = new Ending(signal, defaults.connectMs, () => parsed.host);
      try {
        await unlessEnded(checkedAddresses(parsed), ending);
      } catch (error) {
        throw ending.reason ?? fromNodeError(error, parsed.host);
      } finally {
        ending.close();
      }
    },
  };
}

interface Exchange {
  hop: Hop;
  addresses: string[];
  limits: EgressLimits;
  ending: Ending;
  /** Undefined for a connection that is closed after the response. */
  agents: Agents | undefined;
  onConnect(): void;
}

/** Makes one request to one of the addresses. Resolves when the response headers have arrived. */
function exchange(options: Exchange): Promise<IncomingMessage> {
  const { hop, addresses, limits, ending, agents, onConnect } = options;
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
    ending.onEnd((reason) => request.destroy(reason));
    request.once('socket', (socket) => {
      if (request.reusedSocket) onConnect();
      else socket.once(isSecure ? 'secureConnect' : 'connect', onConnect);
    });
    request.once('response', resolve);
    // The listener stays: errors after the response reach the reader of the body.
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      if (isStale && !ending.reason) exchange({ ...options, agents: undefined }).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
  });
}

/** Returns the lookup function for Node, which looks up the name again when it connects: it gets the checked addresses. */
function answering(addresses: string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else if (first) callback(null, first.address, first.family);
  };
}

function firstHop(url: string, { method = 'GET', headers = {}, body }: EgressRequest): Hop {
  return {
    url: webUrl(url),
    method,
    headers: {
      'user-agent': USER_AGENT,
      accept: '*/*',
      'accept-encoding': ACCEPTED_ENCODINGS,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      ...(body && { 'content-length': Buffer.byteLength(body) }),
    },
    // A string is sent together with the headers; bytes need a second buffer, which costs more than the copy.
    body,
  };
}

function webUrl(text: string, base?: URL): URL {
  const url = parseUrl(text, base);
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

/**
 * Ends a request before its time: by the caller's signal, or by the timeout, which includes the body. An AbortController
 * does the same and costs a delivery a tenth of its time.
 */
class Ending {
  reason: Error | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.end(this.#signal?.reason);
  #stop: ((reason: Error) => void) | undefined;

  constructor(signal: AbortSignal | undefined, totalMs: number, host: () => string) {
    const seconds = totalMs / 1000;
    this.#timer = setTimeout(
      () => this.end(new EgressError('E_TIMEOUT', `${host()} took longer than ${seconds} seconds.`)),
      totalMs,
    ).unref();
    this.#signal = signal;
    if (signal?.aborted) this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  end(reason: Error): void {
    if (this.reason) return;
    this.reason = reason;
    this.#stop?.(reason);
  }

  /** Sets what to do at the end. Only the current step of a request has something to stop. */
  onEnd(stop: (reason: Error) => void): void {
    this.#stop = stop;
    if (this.reason) stop(this.reason);
  }

  /** The request is over. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** Rejects as soon as the request ends. A name lookup cannot be cancelled, but need not be waited for. */
function unlessEnded<T>(promise: Promise<T>, ending: Ending): Promise<T> {
  return new Promise((resolve, reject) => {
    ending.onEnd(reject);
    promise.then(resolve, reject);
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
