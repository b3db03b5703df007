import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { quoted } from '../contract/issues.ts';
import { isWellFormedText, MALFORMED_TEXT } from '../contract/wire.ts';
import { invalidField } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The names of the query parameters that the route takes; set when it is registered. */
    queryNames?: string[];
  }
}

/**
 * Refuses malformed paths and queries before any handler sees them: text that is not well-formed, percent-encoding that
 * means nothing, and query parameters that the route does not take. Bodies are read by `json-body.ts`.
 */
export function registerWellFormed(server: FastifyInstance): void {
  server.addHook('onRoute', (route: RouteOptions) => {
    // Pages of the web app read their address themselves.
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
      if (![name, values].flat().every(isWellFormedText)) throw invalidField(quoted(name), MALFORMED_TEXT);
      if (queryNames && !queryNames.includes(name)) throw unknownParameter(name, queryNames);
    }
  });
}

function queryNamesOf({ method, url, schema }: RouteOptions): string[] {
  if (!schema?.querystring) return [];
  const { shape } = schema.querystring as { shape?: object };
  if (!shape) throw new Error(`${method} ${url}: the schema of the query must be an object.`);
  return Object.keys(shape);
}

/** The parser of queries leaves alone what it cannot decode. */
function requireDecodable({ url }: FastifyRequest): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return;
  try {
    decodeURIComponent(url.slice(start));
  } catch {
    throw new NexusError(
      'E_INVALID_REQUEST',
      'The query is not percent-encoded UTF-8. Write a percent sign as %25.',
    );
  }
}

function unknownParameter(name: string, known: string[]): NexusError {
  const takes = known.length > 0 ? `It takes ${known.join(', ')}.` : 'It takes none.';
  return invalidField(quoted(name), `is not a query parameter of this route. ${takes}`);
}
