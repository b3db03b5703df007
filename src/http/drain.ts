import type { FastifyInstance } from 'fastify';
import { NexusError } from '../contract/errors.ts';

export type Drain = ReturnType<typeof registerDrain>;

/** Counts open requests, so that they can finish during shutdown while new ones are rejected. */
export function registerDrain(app: FastifyInstance) {
  let draining = false;
  let openRequests = 0;
  let whenEmpty: () => void = () => undefined;
  const listeners: (() => void)[] = [];

  app.addHook('onRequest', async (request, reply) => {
    openRequests += 1;
    // The response always emits `close`: after an answer, an error, or an abort by the client.
    reply.raw.once('close', () => {
      openRequests -= 1;
      if (openRequests === 0) whenEmpty();
    });
    if (!draining) return;
    reply.header('connection', 'close');
    request.log.debug('request rejected during shutdown');
    throw new NexusError('E_UNAVAILABLE', 'Nexus is shutting down. Try again in a moment.');
  });

  return {
    /** Rejects new requests with 503. Resolves when all open requests are answered, or after `graceMs`. */
    async start(graceMs: number): Promise<void> {
      draining = true;
      for (const listener of listeners) listener();
      if (openRequests === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        whenEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    /** Registers a callback that ends requests which would never end by themselves, such as event streams. */
    onStart: (listener: () => void) => void listeners.push(listener),
  };
}
