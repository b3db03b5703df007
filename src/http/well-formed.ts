import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { excerpt } from '../contract/issues.ts';
import { isWellFormedText, MALFORMED_TEXT } from '../contract/wire.ts';
import { invalidField } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query parameters that the route accepts; set when it is registered. */
    queryNames?: string[];
  }
}

/**
 * Rejects malformed paths and queries before the handler runs: text that is not well-formed, invalid percent-encoding,
 * and unknown query parameters. `json-body.ts` checks bodies.
 */
export function registerWellFormed(server: FastifyInstance): void {
  server.addHook('onRoute', (route: RouteOptions) => {
    // Pages of the web app read their query in the browser.
    if (route.schema?.hide) return;
    route.config = { ...route.config, queryNames: queryNamesOf(route) };
  });

  server.addHook('onRequest', async (request) => {
    for (const [name, value] of Object.entries(request.params as Record<string, string>)) {
      if (!isWellFormedText(value)) throw invalidField(name, MALFORMED_TEXT);
    }
    requireDecodable(request);
    const { queryNames } = request.routeOptions.config ?? {};
    for (const [name, values] of Object.entries(request.query as Record<string, string | string[]>)) {
      if (![name, values].flat().every(isWellFormedText)) throw invalidField(excerpt(name), MALFORMED_TEXT);
      if (queryNames && !queryNames.includes(name)) throw unknownParameter(name, queryNames);
    }
  });
}

function queryNamesOf({ method, url, schema }: RouteOptions): string[] {
  if (!schema?.querystring) return [];
  const { shape } = schema.querystring as { shape?: object };
  if (!shape) throw new Error(`${method} ${url}: the query schema must be an object.`);
  return Object.keys(shape);
}

/** Throws when the query cannot be decoded. The query parser keeps such text unchanged instead of failing. */
function requireDecodable({ url }: FastifyRequest): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return;
  try {
    decodeURIComponent(url.slice(start));
  } catch {
    throw new NexusError(
      'E_INVALID_REQUEST',
      'The query is not valid percent-encoded UTF-8. Write a percent sign as %25.',
    );
  }
}

function unknownParameter(name: string, known: string[]): NexusError {
  const allowed = known.length > 0 ? `Allowed: ${known.join(', ')}.` : 'It has none.';
  return invalidField(excerpt(name), `is not a query parameter of this route. ${allowed}`);
}
