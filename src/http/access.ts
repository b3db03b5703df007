import type { FastifyInstance, RouteOptions } from 'fastify';
import type { ErrorCode } from '../contract/errors.ts';
import type { Role } from '../contract/roles.ts';

/**
 * Who may call a route. Every route says it, and a route that does not cannot be registered:
 * - `public`: anybody
 * - `internal`: whoever passes the policy for `/internal`
 * - a role: an authenticated caller with at least this role
 */
export type Access = 'public' | 'internal' | Role;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** What the route belongs to in `GET /api/v1/features`. */
    feature?: string;
    /** The codes of its own that the route answers with; what holds for all routes is added to them. */
    errors?: ErrorCode[];
    /** The content types of its successes, by status, where an answer is not JSON. */
    produces?: Record<number, string[]>;
    /** The content type of a body that is not JSON. */
    consumes?: string;
  }
}

export interface RegisteredRoute {
  method: string;
  url: string;
  access: Access;
  feature: string | undefined;
}

/** Keeps the list of all routes, and refuses one that does not say who may call it. */
export function trackRoutes(app: FastifyInstance): RegisteredRoute[] {
  const routes: RegisteredRoute[] = [];
  app.addHook('onRoute', (route: RouteOptions) => {
    const access = route.config?.access;
    if (access === undefined) throw new Error(`${route.method} ${route.url} does not say who may call it.`);
    if ((access === 'internal') !== route.url.startsWith('/internal/')) {
      throw new Error(`${route.method} ${route.url}: internal routes, and only they, live under /internal.`);
    }
    for (const method of [route.method].flat()) {
      routes.push({ method, url: route.url, access, feature: route.config?.feature });
    }
  });
  return routes;
}
