import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';

export type Drain = ReturnType<typeof registerDrain>;

/** How long open connections are kept for one more request after the last one. A busy proxy uses each of them sooner. */
const LINGER_MS = 1000;

/**
 * Lets a server leave without failing a request. It accepts the connections that have been made, and stops listening, so that
 * a proxy connects to another server; a refused connection is safe to try again. It answers what still arrives over open
 * connections, each for the last time.
 */
export function registerDrain(app: FastifyInstance) {
  let draining = false;
  let lastUse = 0;
  let accepted = 0;
  let wake: () => void = () => undefined;
  const listeners: (() => void)[] = [];
  const connections = new Set<net.Socket>();
  const open = new Set<FastifyReply>();

  app.server.on('connection', (socket) => {
    accepted += 1;
    connections.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      wake();
    });
  });

  app.addHook('onRequest', async (_request, reply) => {
    if (draining) reply.header('connection', 'close');
    open.add(reply);
    // The response always emits `close`: after an answer, an error, or an abort by the client.
    reply.raw.once('close', () => {
      open.delete(reply);
      lastUse = performance.now();
      wake();
    });
  });

  /**
   * Accepts the connections that wait in the kernel, which resets them when the server stops listening. Node accepts one in
   * each turn of the event loop. A busy server is never without, so there is a limit.
   */
  async function acceptWaiting(): Promise<void> {
    const end = performance.now() + LINGER_MS;
    for (let before = -1; accepted > before && performance.now() < end; ) {
      before = accepted;
      // The first may come before Node has asked for connections, the second not.
      await setImmediate();
      await setImmediate();
    }
  }

  return {
    /** Resolves when all connections are closed or have been idle for a second; at the latest after `graceMs`. */
    async start(graceMs: number): Promise<void> {
      draining = true;
      const deadline = performance.now() + graceMs;
      await acceptWaiting();
      // The method of http.Server would also close idle connections, on which a request may be under way already.
      net.Server.prototype.close.call(app.server);
      for (const reply of open) if (!reply.raw.headersSent) reply.header('connection', 'close');
      for (const listener of listeners) listener();
      lastUse = performance.now();
      while (connections.size > 0) {
        const end = open.size > 0 ? deadline : Math.min(lastUse + LINGER_MS, deadline);
        const left = end - performance.now();
        if (left <= 0) return;
        await new Promise<void>((resolve) => {
          // Node reads the requests that arrived meanwhile before it calls the immediate.
          const timer = setTimeout(() => void setImmediate().then(resolve), left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    /** Registers a callback that ends requests which would never end by themselves, such as event streams. */
    onStart: (listener: () => void) => void listeners.push(listener),
  };
}
