import type { FastifyInstance } from 'fastify';
import { NexusError } from '../contract/errors.ts';

export interface Drain {
  /** From now on new requests get 503; resolves when those under way are answered, or when `graceMs` is over. */
  start(graceMs: number): Promise<void>;
  /** For what would never end by itself. */
  onStart(listener: () => void): void;
}

/** Lets requests under way finish while new ones are told to go elsewhere. */
export function registerDrain(app: FastifyInstance): Drain {
  let draining = false;
  let underWay = 0;
  let whenEmpty: () => void = () => undefined;
  const listeners: (() => void)[] = [];

  app.addHook('onRequest', async (request, reply) => {
    underWay += 1;
    // The response closes in every case: answered, failed, or given up by the caller.
    reply.raw.once('close', () => {
      underWay -= 1;
      if (underWay === 0) whenEmpty();
    });
    if (!draining) return;
    reply.header('connection', 'close');
    request.log.debug('refused while shutting down');
    throw new NexusError('E_UNAVAILABLE', 'Nexus is shutting down. Try again in a moment.');
  });

  return {
    async start(graceMs) {
      draining = true;
      for (const listener of listeners) listener();
      if (underWay === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        whenEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    onStart(listener) {
      listeners.push(listener);
    },
  };
}
