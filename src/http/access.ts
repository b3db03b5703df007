import type { FastifyInstance, RouteOptions } from 'fastify';
import type { ErrorCode } from '../contract/errors.ts';
import type { Role } from '../contract/roles.ts';

/**
 * Who may call a route. A route without it cannot be registered.
 * - `public`: everyone
 * - `internal`: callers that pass the policy for `/internal`
 * - a role: authenticated callers with at least this role
 */
export type Access = 'public' | 'internal' | Role;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** The feature of the route in `GET /api/v1/features`. */
    feature?: string;
    /** The error codes of this route, for the OpenAPI document. Codes that all routes share are added. */
    errors?: ErrorCode[];
    /** The content types of successful responses that are not JSON, by status. */
    produces?: Record<number, string[]>;
    /** The content type of a request body that is not JSON. */
    consumes?: string;
  }
}

export interface RegisteredRoute {
  method: string;
  url: string;
  access: Access;
  feature: string | undefined;
}

/** Collects all routes. Throws when a route is registered without `access`. */
export function trackRoutes(app: FastifyInstance): RegisteredRoute[] {
  const routes: RegisteredRoute[] = [];
  app.addHook('onRoute', (route: RouteOptions) => {
    const access = route.config?.access;
    if (access === undefined) throw new Error(`${route.method} ${route.url} has no config.access.`);
    if ((access === 'internal') !== route.url.startsWith('/internal/')) {
      throw new Error(`${route.method} ${route.url}: internal routes, and only those, are under /internal.`);
    }
    for (const method of [route.method].flat()) {
      routes.push({ method, url: route.url, access, feature: route.config?.feature });
    }
  });
  return routes;
}
