import type { RegisteredRoute } from '../access.ts';
import type { Header, Parameter, Reference } from './types.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };

/** The headers of answers, under the names that the document refers to. */
export const ANSWER_HEADERS: Record<string, Header> = {
  'X-Request-ID': { description: 'The id of this request in the log.', required: true, schema: text },
  // An error that comes before the caller is known, such as a lost database, has no rate.
  'RateLimit-Limit': { description: 'Requests per minute of this key or person.', schema: whole },
  'RateLimit-Remaining': { description: 'Requests that are left now.', schema: whole },
  'RateLimit-Reset': { description: 'Seconds until all requests are there again.', schema: whole },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', required: true, schema: whole },
  'WWW-Authenticate': { description: 'The way to authenticate.', required: true, schema: text },
  Location: { description: 'The path of the new object, or of the page.', required: true, schema: text },
  ETag: {
    description:
      'Names this state. Send it as `If-None-Match` to read again, and as `If-Match` to change, where that is described.',
    required: true,
    schema: text,
  },
  'Content-Disposition': { description: 'The name of the file.', required: true, schema: text },
  'Content-Range': { description: 'Which part of the file this is.', required: true, schema: text },
  'Idempotency-Replayed': {
    description: '`true` when an earlier request with this `Idempotency-Key` was answered.',
    schema: text,
  },
};

const RATE_LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The statuses of refusals that come before the caller is known. */
const BEFORE_THE_LIMIT = [401, 421];

/** The headers of an answer of a route. */
export function headersOf(status: number, route: RegisteredRoute): Record<string, Reference> {
  const isSuccess = status < 400;
  const { answerHeaders = [], hasNoLocation } = route.config;
  const names = [
    'X-Request-ID',
    ...(hasRole(route) && !BEFORE_THE_LIMIT.includes(status) ? RATE_LIMIT : []),
    ...((status === 201 && !hasNoLocation) || status === 302 ? ['Location'] : []),
    ...((hasETag(route) && [200, 206, 304].includes(status)) || (isVersioned(route) && status === 200)
      ? ['ETag']
      : []),
    ...(isSuccess ? answerHeaders : []),
    ...(status < 500 && takesIdempotencyKey(route) ? ['Idempotency-Replayed'] : []),
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
      'A second request with the same key within 24 hours changes nothing. It is answered like the first one, by the present rights of the caller.',
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

/** Whether the route changes an object of a certain state, and answers with the next one. */
function isVersioned({ method, config: { requestHeaders = [] } }: RegisteredRoute): boolean {
  return method !== 'DELETE' && requestHeaders.includes('If-Match');
}

/** Whether a second request with the same `Idempotency-Key` is answered without carrying it out. */
export function takesIdempotencyKey(route: Pick<RegisteredRoute, 'method' | 'access' | 'config'>): boolean {
  return route.method === 'POST' && hasRole(route) && route.config.repeat?.kind !== 'fresh';
}

function hasRole({ access }: Pick<RegisteredRoute, 'access'>): boolean {
  return access !== 'public' && access !== 'internal';
}
