import type { FastifyInstance } from 'fastify';

/** The origins of browser extensions. A person has installed them, and gives them a key. */
const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w-]+$/;

/** The web app and the routes for internal callers are for nobody else's pages. */
const PRIVATE_PATH = /^\/(app|api\/v1\/internal)(\/|\?|$)/;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Range',
  'X-Nexus-API-Key',
  'X-Request-ID',
].join(', ');
const RESPONSE_HEADERS = [
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-ID',
].join(', ');
const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of other origins use the API with a key or a token: browser extensions, and the origins that the
 * configuration lists. Without `Access-Control-Allow-Credentials`, browsers give such pages no answer to a request with
 * the session cookie.
 */
export function registerCors(server: FastifyInstance, origins: string[]): void {
  const isAllowed = (origin: string) => EXTENSION.test(origin) || origins.includes(origin);

  server.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    // The matched route, because /%61pp/ matches /app/, too.
    const path = (request.is404 ? undefined : request.routeOptions.url) ?? request.url;
    if (origin === undefined || PRIVATE_PATH.test(path)) return;
    reply.header('vary', 'Origin');
    if (!isAllowed(origin)) return;
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': RESPONSE_HEADERS,
    });
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    if (!isPreflight) return;
    await reply
      .status(204)
      .headers({
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': PREFLIGHT_SECONDS,
      })
      .send();
  });
}
