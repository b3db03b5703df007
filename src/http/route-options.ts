import type { FastifySchema } from 'fastify';
import type { ErrorCode } from '../contract/errors.ts';
import type { Access } from './access.ts';

/**
 * Returns a function that makes the options of a route from its errors and its schema. Routes for the same callers share
 * it, and each names it:
 *
 *     const forOperators = routeOptions({ access: 'operator', feature: 'outbox', tags: ['Outbox'] });
 *     server.get('/api/v1/outbox/health', forOperators({ summary: …, response: … }), () => outbox.health());
 */
export function routeOptions(common: { access: Access; feature?: string; tags: readonly string[] }) {
  const { tags, ...config } = common;
  return <Schema extends FastifySchema>({ errors = [], ...schema }: Schema & { errors?: ErrorCode[] }) => ({
    config: { ...config, errors },
    schema: { tags, ...schema } as unknown as Schema,
  });
}
