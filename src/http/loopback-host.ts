import type { FastifyInstance } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { isLoopbackHost } from '../platform/ip-address.ts';

/**
 * Rejects requests whose Host is not a loopback name. A server that listens on loopback allows more to its callers, and
 * DNS rebinding must not let a website reach it through its visitors' browsers.
 */
export function requireLoopbackHost(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // Reads the raw header, because `request.host` may come from a forwarding header.
    const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(request.headers.host ?? '') ?? [];
    if (isLoopbackHost(name)) return;
    throw new NexusError(
      'E_MISDIRECTED_REQUEST',
      'Nexus accepts only requests to localhost. To use another host name, set NEXUS_PUBLIC_URL.',
    );
  });
}
