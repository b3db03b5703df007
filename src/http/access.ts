import type { FastifyContextConfig, FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { Role } from '../contract/roles.ts';
import { API } from '../contract/wire.ts';

/**
 * The callers that a route accepts. A route without it cannot be registered.
 * - `public`: everyone
 * - `internal`: callers that pass the policy for `/internal`
 * - a role: authenticated callers with at least this role
 */
export type Access = 'public' | 'internal' | Role;

export interface RegisteredRoute {
  method: string;
  url: string;
  access: Access;
  feature: string | undefined;
  schema: FastifySchema | undefined;
  config: FastifyContextConfig;
}

/** Collects all routes. Throws when a route is registered without `access`. */
export function trackRoutes(app: FastifyInstance): RegisteredRoute[] {
  const routes: RegisteredRoute[] = [];
  app.addHook('onRoute', (route: RouteOptions) => {
    const access = route.config?.access;
    if (access === undefined) throw new Error(`${route.method} ${route.url} has no config.access.`);
    if ((access === 'internal') !== route.url.startsWith(`${API}/internal/`)) {
      throw new Error(`${route.method} ${route.url}: internal routes, and only those, are under /internal.`);
    }
    for (const method of [route.method].flat()) {
      const { url, schema, config = {} } = route;
      routes.push({ method, url, access, feature: config.feature, schema, config });
    }
  });
  return routes;
}
