import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { vi } from 'vitest';

export interface Forwarder {
  port: number;
  /** Waits until this many connections have been made through it. */
  connected(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Forwards TCP connections to a server at a socket. Closes those whose client sends something that matches `refused`. */
export async function startForwarder(
  socketPath: string,
  { refused }: { refused?: RegExp } = {},
): Promise<Forwarder> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    count += 1;
    const upstream = connect(socketPath);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (refused?.test(chunk.toString('latin1'))) client.destroy();
      else upstream.write(chunk);
    });
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connected: (least) =>
      vi.waitFor(
        () => {
          if (count < least) throw new Error(`There were ${count} connections instead of ${least}.`);
        },
        { timeout: 60_000, interval: 50 },
      ),
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
