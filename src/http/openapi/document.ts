import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { FIELD_CODES } from '../../contract/invalid-request.ts';
import { NEXUS_VERSION } from '../../platform/version.ts';
import type { Access, RegisteredRoute } from '../access.ts';
import { aliasOf } from '../api-paths.ts';
import { describeWebhooks } from './event-schemas.ts';
import { exampleOf } from './examples.ts';
import { ANSWER_HEADERS, hasETag, headersOf, requestHeadersOf, takesIdempotencyKey } from './headers.ts';
import { createTranslator, nameSchema } from './json-schema.ts';
import { TAGS } from './tags.ts';
import type { Answer, Content, JsonSchema, OpenApiDocument, Operation, Parameter } from './types.ts';

interface DocumentOptions {
  /** Where clients reach this server, when it is configured. */
  publicUrl: string | undefined;
  sessionCookieName: string;
}

type Translator = ReturnType<typeof createTranslator>;

const errorBody = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS)),
    message: z.string(),
    request_id: z.string(),
    details: z
      .looseObject({
        fields: z
          .array(z.object({ path: z.string(), code: z.enum(FIELD_CODES), message: z.string() }))
          .optional()
          .describe('Which fields of the request are not valid, for `E_INVALID_REQUEST`.'),
      })
      .optional(),
  }),
});
nameSchema(errorBody, 'Error');

const CREDENTIALS = [{ apiKey: [] }, { bearer: [] }, { session: [] }];
const BYTES: JsonSchema = { type: 'string', format: 'binary' };

/** Makes the OpenAPI document of the registered routes. */
export function createDocument(routes: RegisteredRoute[], options: DocumentOptions): OpenApiDocument {
  const translator = createTranslator();
  translator.translate(errorBody);
  const paths: OpenApiDocument['paths'] = {};
  const aliases: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    // Every GET answers HEAD, too; the document does not repeat it.
    if (route.method === 'HEAD' || route.schema?.hide) continue;
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const operation = describe(route, translator);
    paths[path] = { ...paths[path], [method]: operation };
    const alias = aliasOf(path);
    if (alias) aliases[alias] = { ...aliases[alias], [method]: aliasFor(operation, path) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nexus',
      version: NEXUS_VERSION,
      description:
        'A reading library for people and teams. An object answers `{ "data": … }`, a list `{ "data": […], "page": … }`, ' +
        'an error `{ "error": { "code", "message", "request_id" } }`. `docs/api.md` explains the conventions.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.publicUrl ?? '/', description: 'This server' }],
    tags: TAGS,
    paths: { ...paths, ...aliases },
    webhooks: describeWebhooks(translator),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Nexus-API-Key' },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or an access token of `POST /api/v1/auth/token`.',
        },
        session: { type: 'apiKey', in: 'cookie', name: options.sessionCookieName },
        internal: { type: 'apiKey', in: 'header', name: 'X-Nexus-Internal' },
      },
      headers: ANSWER_HEADERS,
      schemas: Object.fromEntries(Object.entries(translator.named).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

function describe(route: RegisteredRoute, translator: Translator): Operation {
  const { schema = {}, config, access } = route;
  const { operationId = '', tags = [], summary = '', description = '', deprecated } = schema;
  const parameters = [
    ...parametersIn('path', schema.params, translator),
    ...parametersIn('query', schema.querystring, translator),
    ...requestHeadersOf(route),
  ];
  const body = requestBody(config.describedBody ?? schema.body, config.bodyType, translator);
  return {
    operationId,
    tags,
    summary,
    description,
    ...(deprecated && { deprecated }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      ...successes(route, translator),
      ...failures(route, [
        'E_INVALID_REQUEST',
        'E_MISDIRECTED_REQUEST',
        ...accessErrors(access),
        ...(config.errors ?? []),
        ...(takesIdempotencyKey(route) ? (['E_IDEMPOTENCY_CONFLICT'] as const) : []),
        'E_UNAVAILABLE',
        'E_INTERNAL',
      ]),
    },
    security: access === 'public' ? [] : access === 'internal' ? [{ internal: [] }] : CREDENTIALS,
    ...(access !== 'public' && access !== 'internal' && { 'x-minimum-role': access }),
  };
}

/** The operation at its path without the prefix of the API. */
function aliasFor(operation: Operation, path: string): Operation {
  const description = `A former path of \`${path}\`.`;
  return { ...operation, operationId: `${operation.operationId}AtFormerPath`, description, deprecated: true };
}

function parametersIn(location: 'path' | 'query', schema: unknown, translator: Translator): Parameter[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const { properties = {}, required = [] } = translator.translate(schema);
  return Object.entries(properties).map(([name, { description = '', deprecated, ...field }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    description: description || (location === 'path' ? pathDescription(name) : ''),
    ...(deprecated && { deprecated }),
    schema: field,
    example: exampleOf(field, translator.named, name),
  }));
}

function pathDescription(name: string): string {
  return name === 'id'
    ? 'The id of the object.'
    : `The id of the ${name.replace(/_id$/, '').replace('_', ' ')}.`;
}

function requestBody(body: unknown, bodyType: string | undefined, translator: Translator) {
  if (bodyType) return { required: true, content: { [bodyType]: { schema: BYTES } } };
  if (!(body instanceof z.ZodType)) return undefined;
  // A body that may be left out is described by what it is otherwise.
  const inner = body instanceof z.ZodOptional ? body.unwrap() : body;
  const described = inner instanceof z.ZodNullable ? inner.unwrap() : inner;
  return {
    required: described === body,
    content: json(translator.translate(described as z.ZodType), translator),
  };
}

function json(schema: JsonSchema, { named }: Translator): Content {
  return { 'application/json': { schema, example: exampleOf(schema, named) } };
}

function successes(route: RegisteredRoute, translator: Translator): Record<string, Answer> {
  const { schema = {}, config } = route;
  const declared = (schema.response ?? {}) as Record<string, z.ZodType>;
  const { contentTypes = {} } = config;
  const statuses = [
    ...new Set([...Object.keys(declared), ...Object.keys(contentTypes), ...(hasETag(route) ? ['304'] : [])]),
  ].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const body = declared[status];
      const types = contentTypes[Number(status)] ?? (body && !(body instanceof z.ZodNull) ? [JSON_TYPE] : []);
      const content = Object.assign(
        {},
        ...types.map((type) =>
          type === JSON_TYPE && body
            ? json(translator.translate(body), translator)
            : { [type]: { schema: type.startsWith('text/') ? { type: 'string' } : BYTES } },
        ),
      );
      const answer: Answer = {
        description:
          config.hasNoLocation && status === '201' ? 'Created.' : (STATUS_DESCRIPTIONS[status] ?? 'Done.'),
        headers: headersOf(Number(status), route),
        ...(types.length > 0 && { content }),
      };
      return [status, answer];
    }),
  );
}

const JSON_TYPE = 'application/json';

const STATUS_DESCRIPTIONS: Record<string, string> = {
  200: 'The answer.',
  201: 'Created. `Location` is the path of the new object.',
  202: 'Accepted. The work is queued.',
  204: 'Done. The answer has no body.',
  206: 'The part of the file that `Range` asks for.',
  302: 'Redirects to the web app.',
  304: 'Not changed since the answer with this `ETag`.',
};

function accessErrors(access: Access): ErrorCode[] {
  if (access === 'public') return [];
  // E_FORBIDDEN: the role is too low, the key has no scope for it, or another site made the browser send the request.
  return access === 'internal' ? ['E_INTERNAL_ONLY'] : ['E_UNAUTHENTICATED', 'E_FORBIDDEN', 'E_RATE_LIMITED'];
}

/** Returns one error response per status, whose description lists the codes. */
function failures(route: RegisteredRoute, given: ErrorCode[]): Record<string, Answer> {
  const codes = [...new Set(given)];
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort();
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => ERRORS[code].status === status);
      const [code = 'E_INTERNAL'] = own;
      const error = {
        code,
        message: ERRORS[code].meaning,
        request_id: '019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f61',
      };
      const answer: Answer = {
        description: own.join(', '),
        headers: headersOf(status, route),
        content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' }, example: { error } } },
      };
      return [String(status), answer];
    }),
  );
}
