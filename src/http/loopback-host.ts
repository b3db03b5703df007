import type { FastifyInstance } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { isLoopbackHost } from '../platform/loopback.ts';

/**
 * Answers only requests that call this machine by a loopback name. Nexus that listens on loopback is trusted with more,
 * and a website whose name is made to lead to 127.0.0.1 must not reach it through its visitors' browsers.
 */
export function requireLoopbackHost(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    // The header as it was sent: what a proxy says about another one does not count.
    const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(request.headers.host ?? '') ?? [];
    if (isLoopbackHost(name)) return;
    throw new NexusError(
      'E_MISDIRECTED_REQUEST',
      'Nexus can be reached from this machine only, as localhost. To serve it under another name, set NEXUS_PUBLIC_URL.',
    );
  });
}
