import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { invalidField } from '../contract/invalid-request.ts';
import { MALFORMED_TEXT } from '../contract/issues.ts';
import { isWellFormedText } from '../contract/wire.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query parameters that the route accepts; set when it is registered. */
    queryNames?: string[];
  }
}

/** Rejects malformed text and percent-encoding in paths and queries, and unknown query parameters. */
export function registerWellFormed(server: FastifyInstance): void {
  server.addHook('onRoute', (route: RouteOptions) => {
    // Pages of the web app read their query in the browser.
    if (route.schema?.hide) return;
    route.config = { ...route.config, queryNames: queryNamesOf(route) };
  });

  server.addHook('onRequest', async (request) => {
    for (const [name, value] of Object.entries(request.params as Record<string, string>)) {
      if (!isWellFormedText(value)) throw malformedField(name);
    }
    requireDecodable(request);
    const { queryNames } = request.routeOptions.config ?? {};
    for (const [name, values] of Object.entries(request.query as Record<string, string | string[]>)) {
      if (![name, values].flat().every(isWellFormedText)) throw malformedField(name);
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
  const query = url.slice(start);
  orRefuse(
    () => decodeURIComponent(query),
    'The query is not valid percent-encoded UTF-8. Write a percent sign as %25.',
  );
}

function unknownParameter(name: string, known: string[]): NexusError {
  const allowed = known.length > 0 ? `Allowed: ${known.join(', ')}.` : 'It has none.';
  return invalidField(name, `is not a query parameter of this route. ${allowed}`, 'unknown');
}

function malformedField(name: string): NexusError {
  return invalidField(name, MALFORMED_TEXT, 'malformed_text');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON bodies. An empty body counts as no body, also when its content type is JSON. */
export function registerJsonBody(server: FastifyInstance): void {
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, bytes: Buffer) => {
      if (bytes.length === 0) return undefined;
      const text = orRefuse(() => utf8.decode(bytes), 'The body is not valid UTF-8.');
      const body: unknown = orRefuse(() => JSON.parse(text), 'The body is not valid JSON.');
      refuseMalformed(body);
      return body;
    },
  );
}

function orRefuse<T>(decode: () => T, message: string): T {
  try {
    return decode();
  } catch (error) {
    throw new NexusError('E_INVALID_REQUEST', message, { cause: error });
  }
}

/** Schemas, redaction and serialisers recurse; this depth is safe for all of them. */
const MAX_JSON_DEPTH = 64;

interface Level {
  /** The keys of an object; undefined for an array. */
  keys: string[] | undefined;
  values: unknown[];
  next: number;
}

/**
 * Throws for a JSON value with a key or value that is not well-formed text, the key `__proto__`, or too many levels. It
 * does not recurse, so a deep value cannot overflow the stack.
 */
function refuseMalformed(root: unknown): void {
  const levels: Level[] = [{ keys: undefined, values: [root], next: 0 }];
  // The first level is an artificial array around the root, which is not part of the path.
  const path = () => levels.slice(1).map(({ keys, next }) => keys?.[next - 1] ?? String(next - 1));
  const here = () => path().join('.') || 'body';
  for (let level = levels[0]; level; level = levels.at(-1)) {
    if (level.next === level.values.length) {
      levels.pop();
      continue;
    }
    const value = level.values[level.next];
    level.next += 1;
    if (typeof value === 'string' && !isWellFormedText(value)) throw malformedField(here());
    if (typeof value !== 'object' || value === null) continue;
    if (levels.length > MAX_JSON_DEPTH)
      throw invalidField('body', `must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    if (keys && !keys.every(isWellFormedText)) throw malformedField(here());
    if (keys?.includes('__proto__')) throw invalidField(here(), 'must not have the key __proto__', 'unknown');
    levels.push({ keys, values: Array.isArray(value) ? value : Object.values(value), next: 0 });
  }
}
