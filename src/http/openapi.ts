import swagger from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { NEXUS_VERSION } from '../platform/version.ts';
import type { Access } from './access.ts';
import type { HttpServer } from './http-server.ts';
import { renderReference } from './reference-page.ts';
import { sessionCookieName } from './session-cookie.ts';

/** What a description of a route is made of; one for each status that its errors can have. */
type Documented = FastifySchema & {
  description?: string;
  security?: Record<string, string[]>[];
  response?: Record<string, object>;
};

/** The OpenAPI document, written from the routes' own schemas, and a page that people can read. */
export async function registerOpenApi(server: HttpServer): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Nexus',
        version: NEXUS_VERSION,
        description:
          'A reading library for people and teams. Errors have one shape everywhere: ' +
          '`{ "error": { "code", "message", "request_id" } }`.',
      },
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-Nexus-API-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(server.isServedOverHttps) },
          internal: { type: 'apiKey', in: 'header', name: 'X-Nexus-Internal' },
        },
        schemas: { Error: z.toJSONSchema(ERROR_BODY, { target: 'draft-2020-12' }) as object },
      },
    },
    transform: (document) => {
      const { schema, url } = jsonSchemaTransform(document);
      return { schema: withAccess(schema as Documented, document.route), url };
    },
  });

  server.get(
    '/openapi.json',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Reference'],
        summary: 'OpenAPI document',
        description: 'This API as an OpenAPI 3.1 document, for programs.',
        response: { 200: z.unknown() },
      },
    },
    () => server.swagger(),
  );

  // The routes do not change any more once requests are answered.
  let reference: ReturnType<typeof renderReference> | undefined;
  server.get(
    '/docs',
    {
      config: { access: 'public', produces: { 200: ['text/html'] } },
      schema: {
        tags: ['Reference'],
        summary: 'Reference',
        description: 'This page.',
        response: { 200: z.string() },
      },
    },
    async (_request, reply) => {
      reference ??= renderReference(server.swagger());
      const { html, styleHash } = reference;
      return reply
        .header(
          'content-security-policy',
          `default-src 'none'; style-src '${styleHash}'; frame-ancestors 'none'`,
        )
        .type('text/html; charset=utf-8')
        .serializer((page: string) => page)
        .send(html);
    },
  );
}

const ERROR_BODY = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS)),
    message: z.string(),
    request_id: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** Says who may call the route and how it refuses, from the same declaration that is enforced. */
function withAccess(schema: Documented, route: RouteOptions): Documented {
  const access = route.config?.access as Access;
  const { produces = {}, consumes } = route.config ?? {};
  const codes: ErrorCode[] = [
    'E_INVALID_REQUEST',
    'E_MISDIRECTED_REQUEST',
    ...refusals(access, [route.method].flat()),
    ...(route.config?.errors ?? []),
    'E_INTERNAL',
  ];
  return {
    ...schema,
    ...(access !== 'public' && { security: security(access) }),
    ...(access !== 'public' && access !== 'internal' && { 'x-minimum-role': access }),
    ...(consumes && { body: { content: { [consumes]: { schema: BYTES } } } }),
    response: { ...schema?.response, ...files(produces, schema?.response), ...failures(codes) },
  };
}

function security(access: Access): Record<string, string[]>[] {
  return access === 'internal' ? [{ internal: [] }] : [{ apiKey: [] }, { bearer: [] }, { session: [] }];
}

function refusals(access: Access, methods: string[]): ErrorCode[] {
  if (access === 'public') return [];
  if (access === 'internal') return ['E_INTERNAL_ONLY'];
  // A role that is too low, or, where something changes, a cookie that another site made the browser send.
  const isForbidding = access !== 'viewer' || methods.some((method) => method !== 'GET' && method !== 'HEAD');
  return ['E_UNAUTHENTICATED', ...(isForbidding ? (['E_FORBIDDEN'] as const) : []), 'E_RATE_LIMITED'];
}

const BYTES = { type: 'string', format: 'binary' };

/** Answers that are not JSON. A type of JSON among them keeps the schema that the route declares. */
function files(
  produces: Record<number, string[]>,
  declared: Record<string, object> = {},
): Record<string, object> {
  const entries = Object.entries(produces).map(([status, types]) => {
    const content = types.map((type) => {
      const schema = type === 'application/json' ? declared[status] : BYTES;
      return [type, { schema }];
    });
    return [status, { description: 'The content itself.', content: Object.fromEntries(content) }];
  });
  return Object.fromEntries(entries);
}

/** One entry for each status, naming the codes that come with it. */
function failures(codes: ErrorCode[]): Record<number, object> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort();
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: codes.filter((code) => ERRORS[code].status === status).join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}
