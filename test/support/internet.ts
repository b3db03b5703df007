import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { atFileEnd } from './workspace.ts';

/** A server of the test's own that plays a site of the internet. */
export interface Site {
  host: string;
  port: number;
  url: string;
  /** The connections that were made to it, and the requests that arrived. */
  connections: number;
  requests: IncomingMessage[];
  /** Resolves when a connection that was made to it is closed. */
  closed: Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A site that answers over HTTP. */
export async function startSite(handler: Handler, address = '127.0.0.1', port = 0): Promise<Site> {
  const server = createServer((request, response) => {
    site.requests.push(request);
    handler(request, response);
  });
  const site = await listen(server, address, port);
  return site;
}

/** A site that says whatever it likes to a socket. */
export function startRawSite(handler: (socket: Socket) => void): Promise<Site> {
  // What is not read hides that the other side has closed.
  return listen(
    createTcpServer((socket) => handler(socket.resume())),
    '127.0.0.1',
    0,
  );
}

export async function listen(server: Server, address: string, port: number): Promise<Site> {
  const sockets = new Set<Socket>();
  const site: Site = { host: '', port: 0, url: '', connections: 0, requests: [], closed: Promise.resolve() };
  server.on('connection', (socket) => {
    site.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    site.closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        sockets.delete(socket);
        resolve();
      });
    });
  });
  server.listen(port, address);
  await once(server, 'listening');
  atFileEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  site.port = (server.address() as AddressInfo).port;
  site.host = `${address}:${site.port}`;
  site.url = `http://${site.host}`;
  return site;
}

/** Writes for as long as somebody listens, and no faster than they read. */
export function writeForever(response: NodeJS.WritableStream, chunk: Uint8Array): void {
  while (response.write(chunk)) if (!response.writable) return;
  response.once('drain', () => writeForever(response, chunk));
}
