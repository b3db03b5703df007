import { z } from 'zod';
import * as analysis from '../../contract/analysis.ts';
import * as branches from '../../contract/branches.ts';
import * as errors from '../../contract/errors.ts';
import * as events from '../../contract/events.ts';
import * as exported from '../../contract/export.ts';
import * as governance from '../../contract/governance.ts';
import * as graph from '../../contract/graph.ts';
import * as highlights from '../../contract/highlights.ts';
import * as identity from '../../contract/identity.ts';
import * as jobPayloads from '../../contract/job-payloads.ts';
import * as jobs from '../../contract/jobs.ts';
import * as libraries from '../../contract/libraries.ts';
import * as media from '../../contract/media.ts';
import * as mine from '../../contract/mine.ts';
import * as operations from '../../contract/operations.ts';
import * as reading from '../../contract/reading.ts';
import * as roles from '../../contract/roles.ts';
import * as search from '../../contract/search.ts';
import * as session from '../../contract/session.ts';
import * as storage from '../../contract/storage.ts';
import * as trash from '../../contract/trash.ts';
import * as webhooks from '../../contract/webhooks.ts';
import { page } from '../../contract/wire.ts';
import type { JsonSchema } from './types.ts';

const CONTRACT = [
  analysis,
  branches,
  errors,
  events,
  exported,
  governance,
  graph,
  highlights,
  identity,
  jobPayloads,
  jobs,
  libraries,
  media,
  mine,
  operations,
  reading,
  roles,
  search,
  session,
  storage,
  trash,
  webhooks,
  { page },
];

const isNamed = (schema: unknown): schema is z.ZodType =>
  schema instanceof z.ZodObject || schema instanceof z.ZodEnum || schema instanceof z.ZodDiscriminatedUnion;

/** Gives the contract's schemas the names of their exports, which become the names of types in generated clients. */
for (const [name, schema] of CONTRACT.flatMap((module) => Object.entries<unknown>(module))) {
  // Queries become parameters, one by one.
  if (isNamed(schema) && !/Query$/.test(name)) nameSchema(schema, name[0]?.toUpperCase() + name.slice(1));
}

export function nameSchema(schema: z.ZodType, id: string): void {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
}

/** Translates schemas to JSON Schema. Named schemas are collected, and referred to. */
export function createTranslator() {
  const named: Record<string, JsonSchema> = {};
  return {
    named,
    translate(schema: z.ZodType): JsonSchema {
      const { $defs, ...translated } = wireSchema(schema);
      Object.assign(named, withRefs($defs));
      return withRefs(translated);
    },
  };
}

/** Writes references to named schemas as OpenAPI does. */
function withRefs<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** Translates one schema, with the named schemas that it refers to. */
export function wireSchema(schema: z.ZodType): JsonSchema & { $defs: Record<string, JsonSchema> } {
  // The wire format is the input side: the codec of a timestamp, for example, reads a string.
  const { properties = {}, $defs = {} } = z.toJSONSchema(z.object({ schema }), {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => Object.assign(jsonSchema, discriminatorOf(zodSchema)),
  }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
  return { ...simplified(properties.schema ?? {}), $defs: mapValues($defs, simplified) };
}

/** Says which field of a union of named schemas tells them apart. */
function discriminatorOf(schema: z.core.$ZodType): Pick<JsonSchema, 'discriminator'> {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return {};
  const { discriminator: propertyName } = schema.def;
  const entries = schema.options.flatMap((option) => {
    const { id } = z.globalRegistry.get(option as z.ZodType) ?? {};
    const { value } = (option as z.ZodObject).shape[propertyName] as z.ZodLiteral<string>;
    return id === undefined ? [] : [[value, `#/$defs/${id}`] as const];
  });
  if (entries.length < schema.options.length) return {};
  return { discriminator: { propertyName, mapping: Object.fromEntries(entries) } };
}

/** Removes what readers and generators do not need: patterns beside a format, and unions with null. */
function simplified(given: JsonSchema): JsonSchema {
  const { id: _, ...schema } = given as JsonSchema & { id?: string };
  if (schema.$ref) return schema;
  if (schema.format || schema.pattern?.includes('\\p{Surrogate}')) delete schema.pattern;
  for (const bound of ['minimum', 'maximum'] as const) {
    if (Math.abs(schema[bound] ?? 0) === Number.MAX_SAFE_INTEGER) delete schema[bound];
  }
  if (schema.properties) schema.properties = mapValues(schema.properties, simplified);
  if (schema.items) schema.items = simplified(schema.items);
  if (typeof schema.additionalProperties === 'object')
    schema.additionalProperties = simplified(schema.additionalProperties);
  for (const word of ['anyOf', 'oneOf', 'allOf'] as const) {
    if (schema[word]) schema[word] = schema[word].map(simplified);
  }
  return withNullAsType(schema);
}

/** `{ anyOf: [{ type: 'string' }, { type: 'null' }] }` is `{ type: ['string', 'null'] }`. */
function withNullAsType(schema: JsonSchema): JsonSchema {
  const [value, nothing, ...others] = schema.anyOf ?? [];
  if (nothing?.type !== 'null' || others.length > 0 || typeof value?.type !== 'string') return schema;
  const { anyOf: _, ...rest } = schema;
  return {
    ...value,
    ...rest,
    type: [value.type, 'null'],
    ...(value.enum && { enum: [...value.enum, null] }),
  };
}

function mapValues<T>(object: Record<string, T>, map: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
