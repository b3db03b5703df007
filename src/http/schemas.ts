import fastJsonStringify from 'fast-json-stringify';
import type { FastifyTypeProvider } from 'fastify';
import { z } from 'zod';
import { type InvalidField, invalidFieldsOf } from '../contract/invalid-request.ts';
import { wireSchema } from './openapi/json-schema.ts';

/** Types the requests and answers of routes by their zod schemas. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  serializer: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
}

/** The request does not match the schema of its route. */
export class RequestMismatch extends Error {
  readonly fields: InvalidField[];

  constructor(error: z.core.$ZodError) {
    super('The request does not match the schema of the route.');
    this.name = 'RequestMismatch';
    this.fields = error.issues.flatMap((issue) => invalidFieldsOf(issue));
  }
}

export function validatorCompiler({ schema }: { schema: z.ZodType }) {
  return (given: unknown) => {
    const parsed = schema.safeParse(given);
    return parsed.success ? { value: parsed.data } : { error: new RequestMismatch(parsed.error) };
  };
}

/**
 * Writes answers as JSON, straight from the objects of the services: only the fields of the schema, and dates as text. A
 * serialiser is compiled at the first answer of its route, because a start would wait for all of them.
 */
export function serializerCompiler({ schema }: { schema: z.ZodType }) {
  let write: ((answer: unknown) => string) | undefined;
  return (answer: unknown) => {
    write ??= schema instanceof z.ZodNull ? () => '' : fastJsonStringify(wireSchema(schema));
    return write(answer);
  };
}
