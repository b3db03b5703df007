import type { IncomingHttpHeaders } from 'node:http';
import { Failure, type FailureCode } from '../../contract/errors.ts';

/** A request that could not be made, or whose answer is of no use. */
export class EgressError extends Failure {
  /** The status, where there was an answer. */
  readonly status: number | undefined;
  /** What the site asked for with `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the host's name could not be resolved. Not for readers: the name of an internal host must not give itself away. */
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
  EAI_AGAIN: ['E_DNS_FAILED', (host) => `The name ${host} could not be looked up.`],
  ECONNREFUSED: ['E_CONNECT_FAILED', (host) => `${host} refused the connection.`],
  EHOSTUNREACH: ['E_CONNECT_FAILED', (host) => `There is no way to ${host} from here.`],
  ENETUNREACH: ['E_CONNECT_FAILED', (host) => `There is no way to ${host} from here.`],
  EADDRNOTAVAIL: ['E_CONNECT_FAILED', (host) => `There is no way to ${host} from here.`],
  ETIMEDOUT: ['E_TIMEOUT', (host) => `${host} did not answer in time.`],
  HPE_HEADER_OVERFLOW: [
    'E_RESPONSE_TOO_LARGE',
    (host) => `${host} answered with headers that are too large.`,
  ],
  Z_BUF_ERROR: ['E_CONNECTION_LOST', (host) => `The answer of ${host} ended too early.`],
  ERR_TLS_CERT_ALTNAME_INVALID: ['E_TLS_FAILED', (host) => `The certificate of ${host} is for another site.`],
  CERT_HAS_EXPIRED: ['E_TLS_FAILED', (host) => `The certificate of ${host} has expired.`],
};

/**
 * A host that does not exist, or whose address is not public. Both get the same answer, because whoever pastes a link must
 * not learn which internal names exist; `cause` says which it was.
 */
export function notPublic(host: string, cause: unknown, isUnresolved = false): EgressError {
  return new EgressError(
    'E_SSRF_BLOCKED',
    `There is no public site at ${host}. Check the address for a typo. If it is internal, an operator can allow it.`,
    { cause, isUnresolved },
  );
}

/** What Node reports when a certificate is not to be trusted, or the other side does not speak TLS at all. */
const TLS = /^(ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/;

/** Node's errors of a request and its answer, in words. */
export function fromNodeError(error: unknown, host: string): EgressError {
  if (error instanceof EgressError) return error;
  const { code = '' } = firstOf(error) as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND') return notPublic(host, error, true);
  const [known, sentence] = SENTENCES[code] ?? [];
  if (known && sentence) return new EgressError(known, sentence(host), { cause: error });
  if (TLS.test(code)) {
    return new EgressError('E_TLS_FAILED', `No secure connection to ${host} could be made.`, {
      cause: error,
    });
  }
  if (code.startsWith('HPE_') || /^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(code)) {
    return new EgressError('E_INVALID_RESPONSE', `${host} sent an answer that cannot be understood.`, {
      cause: error,
    });
  }
  return new EgressError('E_CONNECTION_LOST', `The connection to ${host} was lost.`, { cause: error });
}

/** A host with several addresses fails once for each of them. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}

/** Why an answer with this status is of no use to somebody who wants what lies there. */
export function fromStatus(status: number, headers: IncomingHttpHeaders, url: string): EgressError {
  const host = new URL(url).host;
  const [code, message] = statusSentence(status, host);
  return new EgressError(code, message, { status, retryAfterSeconds: retryAfter(headers['retry-after']) });
}

function statusSentence(status: number, host: string): [FailureCode, string] {
  if (status === 401) return ['E_LOGIN_REQUIRED', `${host} shows this only to those who sign in there.`];
  if (status === 403) {
    return [
      'E_ACCESS_DENIED',
      `${host} refuses to show this to Nexus. If you can open it, save it as a PDF and upload that.`,
    ];
  }
  if (status === 404) return ['E_PAGE_NOT_FOUND', `${host} has no such page. Check the address.`];
  if (status === 410) return ['E_PAGE_GONE', `${host} has removed this for good.`];
  if (status === 429) return ['E_SITE_BUSY', `${host} asks for fewer requests.`];
  if (status >= 500 || status === 408 || status === 425) {
    return ['E_SITE_ERROR', `${host} has trouble of its own (status ${status}).`];
  }
  return ['E_HTTP_ERROR', `${host} answered with status ${status}.`];
}

/** Seconds, from a number or a date; a day at most, and never into the past. */
export function retryAfter(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 0), 24 * 60 * 60) : undefined;
}
