import net from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';

export type Drain = ReturnType<typeof registerDrain>;

/** How long open connections are kept for one more request. A proxy that is busy uses each of them sooner. */
const LINGER_MS = 1000;

/**
 * Lets a server leave without failing a request. It stops listening, so that a proxy connects to another server; a refused
 * connection is safe to try again. It answers what still arrives over open connections, each for the last time.
 */
export function registerDrain(app: FastifyInstance) {
  let draining = false;
  let whenEmpty: () => void = () => undefined;
  const listeners: (() => void)[] = [];
  const connections = new Set<net.Socket>();
  const open = new Set<FastifyReply>();

  app.server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      if (connections.size === 0) whenEmpty();
    });
  });

  app.addHook('onRequest', async (_request, reply) => {
    if (draining) reply.header('connection', 'close');
    open.add(reply);
    // The response always emits `close`: after an answer, an error, or an abort by the client.
    reply.raw.once('close', () => open.delete(reply));
  });

  return {
    /**
     * Resolves when all connections are closed; at the latest after `graceMs`, and after a second if no request is under
     * way then.
     */
    async start(graceMs: number): Promise<void> {
      draining = true;
      // The method of http.Server would also close idle connections, on which a request may be under way already.
      net.Server.prototype.close.call(app.server);
      for (const reply of open) if (!reply.raw.headersSent) reply.header('connection', 'close');
      for (const listener of listeners) listener();
      const isEmpty = new Promise<void>((resolve) => {
        whenEmpty = resolve;
        if (connections.size === 0) resolve();
      });
      await within(Math.min(LINGER_MS, graceMs), isEmpty);
      if (open.size === 0) return;
      await within(graceMs - LINGER_MS, isEmpty);
    },
    /** Registers a callback that ends requests which would never end by themselves, such as event streams. */
    onStart: (listener: () => void) => void listeners.push(listener),
  };
}

async function within(ms: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(ms, 0));
  });
  await Promise.race([done, timeout]);
  clearTimeout(timer);
}
