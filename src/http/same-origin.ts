import type { FastifyRequest } from 'fastify';
import { NexusError } from '../contract/errors.ts';

export const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Rejects state-changing requests from other sites (CSRF). Browsers attach the session cookie to requests that any site
 * triggers, but also send their origin in headers that scripts cannot set.
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (SAFE_METHODS.includes(request.method) || isSameOrigin(request)) return;
  throw new NexusError(
    'E_FORBIDDEN',
    'Cross-site request refused. Only pages of this server may make changes with the session cookie.',
  );
}

/** Rejects requests from other sites on routes that need no cookie. Programs send neither header and are allowed. */
export function refuseOtherSites(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined && site === undefined) return;
  requireSameOrigin(request);
}

function isSameOrigin(request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === `${request.protocol}://${request.host}`;
}
