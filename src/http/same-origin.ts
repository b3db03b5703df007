import type { FastifyRequest } from 'fastify';
import { NexusError } from '../contract/errors.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * A browser sends the cookie along with whatever any page makes it send, so a change that comes with a cookie must come
 * from a page of this site. Browsers say so themselves, in headers that no script can set.
 */
export function requireSameOrigin(request: FastifyRequest): void {
  if (SAFE_METHODS.includes(request.method) || isSameOrigin(request)) return;
  throw new NexusError(
    'E_FORBIDDEN',
    'This came from another site. With a cookie, only pages of this Nexus may change something.',
  );
}

/** For what takes no cookie: programs, which send neither header, may. */
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
