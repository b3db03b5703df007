import swagger from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { FIELD_CODES } from '../contract/invalid-request.ts';
import { NEXUS_VERSION } from '../platform/version.ts';
import type { Access } from './access.ts';
import type { HttpServer } from './http-server.ts';
import { renderReference } from './reference-page.ts';
import { sessionCookieName } from './session-cookie.ts';

/** The schema of a route with the fields that the OpenAPI document adds. */
type Documented = FastifySchema & {
  description?: string;
  security?: Record<string, string[]>[];
  response?: Record<string, object>;
};

/** Serves the OpenAPI document, which is generated from the routes' schemas, and a reference page. */
export async function registerOpenApi(server: HttpServer): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Nexus',
        version: NEXUS_VERSION,
        description:
          'A reading library for people and teams. All errors have the same format: ' +
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
        description: 'The OpenAPI 3.1 document of this API.',
        response: { 200: z.unknown() },
      },
    },
    () => server.swagger(),
  );

  // Cached: routes do not change after the server starts.
  let reference: ReturnType<typeof renderReference> | undefined;
  server.get(
    '/docs',
    {
      config: { access: 'public', produces: { 200: ['text/html'] } },
      schema: {
        tags: ['Reference'],
        summary: 'Reference',
        description: 'This page: the API reference for people.',
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
    details: z
      .looseObject({
        fields: z
          .array(z.object({ path: z.string(), code: z.enum(FIELD_CODES), message: z.string() }))
          .optional(),
      })
      .optional(),
  }),
});

/** Adds security, the minimum role and the error responses to a route's schema, from the route's own config. */
function withAccess(schema: Documented, route: RouteOptions): Documented {
  const access = route.config?.access as Access;
  const { produces = {}, consumes } = route.config ?? {};
  const codes: ErrorCode[] = [
    'E_INVALID_REQUEST',
    'E_MISDIRECTED_REQUEST',
    ...accessErrors(access, [route.method].flat()),
    ...(route.config?.errors ?? []),
    'E_INTERNAL',
  ];
  return {
    ...schema,
    ...(access !== 'public' && { security: access === 'internal' ? [{ internal: [] }] : CREDENTIALS }),
    ...(access !== 'public' && access !== 'internal' && { 'x-minimum-role': access }),
    ...(consumes && { body: { content: { [consumes]: { schema: BYTES } } } }),
    response: { ...schema?.response, ...files(produces, schema?.response), ...failures(codes) },
  };
}

function accessErrors(access: Access, methods: string[]): ErrorCode[] {
  if (access === 'public') return [];
  if (access === 'internal') return ['E_INTERNAL_ONLY'];
  // E_FORBIDDEN: the role is too low, or another site made the browser send a state-changing request with the cookie.
  const canForbid = access !== 'viewer' || methods.some((method) => method !== 'GET' && method !== 'HEAD');
  return ['E_UNAUTHENTICATED', ...(canForbid ? (['E_FORBIDDEN'] as const) : []), 'E_RATE_LIMITED'];
}

const CREDENTIALS = [{ apiKey: [] }, { bearer: [] }, { session: [] }];
const BYTES = { type: 'string', format: 'binary' };

/** Returns the responses of a route that produces files. `application/json` among them keeps the declared schema. */
function files(produces: Record<number, string[]>, declared: Record<string, object> = {}) {
  const entries = Object.entries(produces).map(([status, types]) => {
    const schemaOf = (type: string) => (type === 'application/json' ? declared[status] : BYTES);
    const content = types.map((type) => [type, { schema: schemaOf(type) }]);
    return [status, { description: 'The file.', content: Object.fromEntries(content) }];
  });
  return Object.fromEntries(entries);
}

/** Returns one error response per status, whose description lists the codes. */
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
