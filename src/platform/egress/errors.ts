import type { IncomingHttpHeaders } from 'node:http';
import { Failure, type FailureCode } from '../../contract/errors.ts';

/** An outgoing request that failed. */
export class EgressError extends Failure {
  /** The status, if there was a response. */
  readonly status: number | undefined;
  /** The value of the site's `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the host name does not exist. Must not be shown to users, who could find out internal names with it. */
  readonly isUnresolved: boolean;

  constructor(
    code: FailureCode,
    message: string,
    options: ErrorOptions & {
      status?: number;
      retryAfterSeconds?: number | undefined;
      isUnresolved?: boolean;
    } = {},
  ) {
    super(code, message, options);
    this.name = 'EgressError';
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isUnresolved = options.isUnresolved ?? false;
  }
}

const SENTENCES: Record<string, [FailureCode, (host: string) => string]> = {
  EAI_AGAIN: ['E_DNS_FAILED', (host) => `The name ${host} could not be resolved.`],
  ECONNREFUSED: ['E_CONNECT_FAILED', (host) => `${host} refused the connection.`],
  EHOSTUNREACH: ['E_CONNECT_FAILED', (host) => `${host} cannot be reached.`],
  ENETUNREACH: ['E_CONNECT_FAILED', (host) => `${host} cannot be reached.`],
  EADDRNOTAVAIL: ['E_CONNECT_FAILED', (host) => `${host} cannot be reached.`],
  ETIMEDOUT: ['E_TIMEOUT', (host) => `${host} took too long to respond.`],
  HPE_HEADER_OVERFLOW: ['E_RESPONSE_TOO_LARGE', (host) => `The response headers of ${host} are too large.`],
  Z_BUF_ERROR: ['E_CONNECTION_LOST', (host) => `The response of ${host} is incomplete.`],
  ERR_TLS_CERT_ALTNAME_INVALID: ['E_TLS_FAILED', (host) => `The certificate of ${host} is for another site.`],
  CERT_HAS_EXPIRED: ['E_TLS_FAILED', (host) => `The certificate of ${host} has expired.`],
};

/**
 * Returns the error for a host that does not exist or is not public. The message is the same for both, so that users
 * cannot find out which internal names exist; `cause` says which it is.
 */
export function notPublic(host: string, cause: unknown, isUnresolved = false): EgressError {
  return new EgressError(
    'E_SSRF_BLOCKED',
    `${host} is not a public site. Check the address for a typo, or ask your administrator to allow this address.`,
    { cause, isUnresolved },
  );
}

/** Error codes of Node.js for untrusted certificates, and for servers that do not support TLS. */
const TLS = /^(ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/;

/** Converts an error of Node.js. */
export function fromNodeError(error: unknown, host: string): EgressError {
  if (error instanceof EgressError) return error;
  const { code = '' } = firstOf(error) as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND') return notPublic(host, error, true);
  const [known, sentence] = SENTENCES[code] ?? [];
  if (known && sentence) return new EgressError(known, sentence(host), { cause: error });
  if (TLS.test(code)) {
    return new EgressError('E_TLS_FAILED', `A secure connection to ${host} is not possible.`, {
      cause: error,
    });
  }
  if (code.startsWith('HPE_') || /^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(code)) {
    return new EgressError('E_INVALID_RESPONSE', `${host} sent an invalid response.`, {
      cause: error,
    });
  }
  return new EgressError('E_CONNECTION_LOST', `The connection to ${host} was lost.`, { cause: error });
}

/** Returns the first error. A host with several addresses fails with one error for each. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}

/** Returns the error for a response that is not a success. */
export function fromStatus(status: number, headers: IncomingHttpHeaders, url: string): EgressError {
  const host = new URL(url).host;
  const [code, message] = statusSentence(status, host);
  return new EgressError(code, message, { status, retryAfterSeconds: retryAfter(headers['retry-after']) });
}

function statusSentence(status: number, host: string): [FailureCode, string] {
  if (status === 401) return ['E_LOGIN_REQUIRED', `${host} shows this page only to signed-in users.`];
  if (status === 403) {
    return [
      'E_ACCESS_DENIED',
      `${host} denied access to this page. If you can open it in your browser, save it as a PDF and upload it.`,
    ];
  }
  if (status === 404) return ['E_PAGE_NOT_FOUND', `Page not found (404) on ${host}.`];
  if (status === 410) return ['E_PAGE_GONE', `${host} has removed this page permanently.`];
  if (status === 429) return ['E_SITE_BUSY', `${host} received too many requests. Retry later.`];
  if (status >= 500 || status === 408 || status === 425) {
    return ['E_SITE_ERROR', `${host} is having problems (${status}). Retry later.`];
  }
  return ['E_HTTP_ERROR', `${host} responded with an error (${status}).`];
}

/** Parses `Retry-After`, a number of seconds or a date. Returns between zero and the seconds of one day. */
export function retryAfter(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 0), 24 * 60 * 60) : undefined;
}
