import type { FastifySchema } from 'fastify';
import type { z } from 'zod';
import type { ErrorCode } from '../contract/errors.ts';
import type { Access } from './access.ts';
import type { Repeat } from './repeats.ts';

declare module 'fastify' {
  interface FastifySchema {
    tags?: readonly string[];
    /** The name of the operation in generated clients. Renaming it breaks them. */
    operationId?: string;
    summary?: string;
    description?: string;
    deprecated?: boolean;
    /** Leaves the route out of the OpenAPI document. */
    hide?: boolean;
  }

  interface FastifyContextConfig {
    access?: Access;
    /** The feature of the route in `GET /api/v1/features`. */
    feature?: string;
    /** The error codes of this route, for the OpenAPI document. Codes that all routes share are added. */
    errors?: ErrorCode[];
    /** The content types of successful responses that are not JSON, by status. */
    contentTypes?: Record<number, string[]>;
    /** The content type of a request body that is not JSON. */
    bodyType?: string;
    /** The error of a DELETE whose object is not there. To whoever deleted it, the answer is 204 instead, as before. */
    goneCode?: ErrorCode;
    /** How a repeat of this POST with the same `Idempotency-Key` is answered. Without it, a repeat is refused. */
    repeat?: Repeat;
    /** Describes the body in the OpenAPI document, where its schema says less than what is accepted. */
    describedBody?: z.ZodType;
    /** Request headers that this route reads, besides those that all routes read. */
    requestHeaders?: string[];
    /** Headers of successful answers, besides those that follow from the method, the status and the request headers. */
    answerHeaders?: string[];
    /** Set when no route returns what this one creates, so that 201 has no `Location`. */
    hasNoLocation?: boolean;
  }
}

interface Common {
  access: Access;
  feature?: string;
  tags: readonly string[];
}

/** The description of a route, besides the schemas of its requests and answers. */
interface Description {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: boolean;
  errors?: ErrorCode[];
  contentTypes?: Record<number, string[]>;
  bodyType?: string;
  requestHeaders?: string[];
  answerHeaders?: string[];
  hasNoLocation?: boolean;
  describedBody?: z.ZodType;
  goneCode?: ErrorCode;
  repeat?: Repeat;
}

/**
 * Returns a function that makes the options of a route from its description and its schemas. Routes for the same callers
 * share it, and each names it:
 *
 *     const forOperators = routeOptions({ access: 'operator', feature: 'outbox', tags: ['Outbox'] });
 *     api.get('/outbox/health', forOperators({ operationId: …, summary: …, response: … }), () => outbox.health());
 */
export function routeOptions({ tags, ...common }: Common) {
  return <Schema extends FastifySchema>(described: Schema & Description) => {
    const {
      errors = [],
      contentTypes,
      bodyType,
      requestHeaders,
      answerHeaders,
      hasNoLocation,
      describedBody,
      goneCode,
      repeat,
      ...schema
    } = described;
    return {
      config: {
        ...common,
        errors,
        ...(contentTypes && { contentTypes }),
        ...(bodyType && { bodyType }),
        ...(requestHeaders && { requestHeaders }),
        ...(answerHeaders && { answerHeaders }),
        ...(hasNoLocation && { hasNoLocation }),
        ...(describedBody && { describedBody }),
        ...(goneCode && { goneCode }),
        ...(repeat && { repeat }),
      },
      schema: { tags, ...schema } as unknown as Omit<Schema, keyof Description>,
    };
  };
}
