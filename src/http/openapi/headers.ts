import type { RegisteredRoute } from '../access.ts';
import type { Header, Parameter, Reference } from './types.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };

/** The headers of answers, under the names that the document refers to. */
export const ANSWER_HEADERS: Record<string, Header> = {
  'X-Request-ID': { description: 'The id of this request in the log.', schema: text },
  'RateLimit-Limit': { description: 'Requests per minute of this key or person.', schema: whole },
  'RateLimit-Remaining': { description: 'Requests that are left now.', schema: whole },
  'RateLimit-Reset': { description: 'Seconds until all requests are there again.', schema: whole },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: whole },
  'WWW-Authenticate': { description: 'The way to authenticate.', schema: text },
  Location: { description: 'The path of the new object.', schema: text },
  ETag: { description: 'Names this state of the answer. Send it as `If-None-Match`.', schema: text },
  'Content-Range': { description: 'Which part of the file this is.', schema: text },
  'Idempotency-Replayed': {
    description: '`true` when an earlier request with this `Idempotency-Key` was answered.',
    schema: text,
  },
};

const RATE_LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The headers of an answer: of a route's success, or of any failure. */
export function headersOf(status: number, route?: RegisteredRoute): Record<string, Reference> {
  const isLimited = route ? hasRole(route) : status !== 401 && status !== 421;
  const names = [
    'X-Request-ID',
    ...(isLimited ? RATE_LIMIT : []),
    ...(status === 201 ? ['Location'] : []),
    ...(route && hasETag(route) && [200, 206, 304].includes(status) ? ['ETag'] : []),
    ...(route && takesIdempotencyKey(route) ? ['Idempotency-Replayed'] : []),
    ...(status === 206 || status === 416 ? ['Content-Range'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that change what a route does. */
export function requestHeadersOf(route: RegisteredRoute): Parameter[] {
  const { requestHeaders = [] } = route.config;
  const names = [
    ...requestHeaders,
    ...(takesIdempotencyKey(route) ? ['Idempotency-Key'] : []),
    ...(hasETag(route) && !requestHeaders.includes('If-None-Match') ? ['If-None-Match'] : []),
  ];
  return names.map((name) => {
    const { description, example } = REQUEST_HEADERS[name] ?? { description: '', example: '' };
    return { name, in: 'header', required: false, description, schema: text, example };
  });
}

const REQUEST_HEADERS: Record<string, { description: string; example: string }> = {
  'Idempotency-Key': {
    description:
      'A second request with the same key within 24 hours changes nothing and gets the same answer.',
    example: '6f1f4b1e-5a0e-4d0e-9d1c-2f6a8c1b7e42',
  },
  'If-None-Match': {
    description:
      'The `ETag` of an earlier answer. When nothing has changed, the answer is 304 without a body.',
    example: '"9f86d081884c7d65"',
  },
  'If-Match': {
    description:
      'The `ETag` that the change is based on. When the object has changed since, the answer is 412.',
    example: '"1k2j3h-9f86d081884c7d65"',
  },
  Range: { description: 'The part of the file to send.', example: 'bytes=0-1023' },
  'If-Range': {
    description: 'The `ETag` of the part that you have. When the file has changed, all of it is sent.',
    example: '"9f86d081884c7d65"',
  },
  'Last-Event-ID': {
    description:
      'The `id` of the last message. The stream begins after it. Browsers send it when they reconnect.',
    example: 'MTg5MDotMDAx',
  },
};

/** Whether the route answers 304 to whoever has its answer: every GET of JSON, and files. */
export function hasETag({ method, config }: Pick<RegisteredRoute, 'method' | 'config'>): boolean {
  const { contentTypes, requestHeaders = [] } = config;
  return method === 'GET' && (contentTypes === undefined || requestHeaders.includes('If-None-Match'));
}

/** Whether a second request with the same `Idempotency-Key` gets the answer of the first. */
export function takesIdempotencyKey(route: Pick<RegisteredRoute, 'method' | 'access'>): boolean {
  return route.method === 'POST' && hasRole(route);
}

function hasRole({ access }: Pick<RegisteredRoute, 'access'>): boolean {
  return access !== 'public' && access !== 'internal';
}
