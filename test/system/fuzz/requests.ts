import fc from 'fast-check';
import {
  brokenBytes,
  brokenValues,
  malformedValues,
  type Schema,
  type Special,
  validValues,
} from './values.ts';

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  schema: Schema;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a document as it was read
export function operationsOf({ paths, components }: any): Operation[] {
  const inlined = (schema: Schema) => withoutReferences(schema, components.schemas) as Schema;
  return Object.entries<Record<string, { parameters?: Parameter[]; requestBody?: { content: object } }>>(
    paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((parameter) => ({ ...parameter, schema: inlined(parameter.schema) })),
      body: requestBody && inlined((Object.values(requestBody.content)[0] as { schema: Schema }).schema),
    })),
  );
}

/** Puts named schemas in place of the references to them. A schema inside itself takes anything. */
function withoutReferences(value: unknown, named: Record<string, unknown>, inside: string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, named, inside));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) {
    const name = String(value.$ref).replace('#/components/schemas/', '');
    if (!(name in named)) throw new Error(`${name} is not a schema of the document.`);
    return inside.includes(name) ? {} : withoutReferences(named[name], named, [...inside, name]);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, withoutReferences(field, named, inside)]),
  );
}

export interface FuzzedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** Encoded URL parts that no route accepts. */
const ODD_PARTS = [
  '%00',
  '%ff',
  '%',
  '%zz',
  '%ed%a0%80',
  '-1',
  '1e400',
  'NaN',
  '..',
  '%2e%2e%2f',
  'x'.repeat(600),
  '%F0%9F%98%80',
  "'",
  '%0d%0aX:1',
];
const ODD_QUERIES = ['unknown=1', '__proto__=1', '%00=1', '=', '&&', 'constructor[prototype]=1'];

const ODD_HEADERS: Record<string, string>[] = [
  { range: 'bytes=999999999999-' },
  { range: 'bytes=5-1,a-b' },
  { 'last-event-id': 'x' },
  { 'last-event-id': '9'.repeat(200) },
  { 'x-request-id': 'é <script>' },
  { cookie: 'nexus_session=%00%00' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'if-none-match': '*', 'if-modified-since': 'x' },
  { 'if-match': '"x"' },
  { 'if-match': 'W/",",*' },
  { 'idempotency-key': 'fuzzed' },
  { 'idempotency-key': 'two words' },
  { 'x-forwarded-for': '1,'.repeat(500) },
];

/** Generates requests to one operation: some valid by the document, the others broken in one way each. */
export function requestsTo(operation: Operation, special: Special): fc.Arbitrary<FuzzedRequest> {
  const how = operation.body
    ? fc.constantFrom(
        'valid',
        'valid',
        'malformed',
        'malformed',
        'malformed',
        'body',
        'body',
        'bytes',
        'address',
        'header',
      )
    : fc.constantFrom('valid', 'valid', 'address', 'address', 'header');
  return how.chain((broken) =>
    fc
      .record({
        path: addresses(operation, special, broken === 'address'),
        body: bodies(operation, special, broken),
        odd: broken === 'header' ? fc.constantFrom(...ODD_HEADERS) : fc.constant({}),
      })
      .map(({ path, body, odd }) => ({
        method: operation.method,
        path,
        body,
        headers: { ...(body && { 'content-type': 'application/json' }), ...odd },
      })),
  );
}

function bodies({ body }: Operation, special: Special, broken: string): fc.Arbitrary<Buffer | undefined> {
  if (!body) return fc.constant(undefined);
  const valid = validValues(body, '', special);
  if (broken === 'bytes') return brokenBytes(valid);
  if (broken === 'body') return brokenValues(valid).map(toJson);
  if (broken === 'malformed') return malformedValues(valid).map(toJson);
  return valid.map(toJson);
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? '');
}

function addresses(
  { path, parameters }: Operation,
  special: Special,
  isBroken: boolean,
): fc.Arbitrary<string> {
  const encoded = ({ name, schema }: Parameter) => {
    const valid = validValues(schema, name, special).map((value) =>
      encodeURIComponent(String(value).replace(/\p{Surrogate}/gu, '\ufffd')),
    );
    return isBroken ? fc.oneof(valid, fc.constantFrom(...ODD_PARTS)) : valid;
  };
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return fc
    .record({
      parts: fc.tuple(...inPath.map(encoded)),
      queries: fc.tuple(
        ...inQuery.map((parameter) => {
          const pair = encoded(parameter).map((value) => [`${parameter.name}=${value}`]);
          return parameter.required ? pair : fc.oneof(fc.constant([]), pair);
        }),
      ),
      odd: isBroken ? fc.constantFrom([], ...ODD_QUERIES.map((query) => [query])) : fc.constant([]),
    })
    .map(({ parts, queries, odd }) => {
      const filled = inPath.reduce(
        (url, { name }, index) => url.replace(`{${name}}`, () => parts[index] || 'x'),
        path,
      );
      const query = [...queries.flat(), ...odd].join('&');
      // Node refuses longer ones before Nexus sees them.
      return (query ? `${filled}?${query}` : filled).slice(0, 8000).replace(/%[0-9A-F]?$/i, '');
    });
}
