import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { atFileEnd } from './workspace.ts';

/** A local server that stands for a site of the internet. */
export interface Site {
  host: string;
  port: number;
  url: string;
  /** The number of connections, and the requests, so far. */
  connections: number;
  requests: IncomingMessage[];
  /** Resolves when the latest connection is closed. */
  closed: Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a site that answers over HTTP. */
export async function startSite(handler: Handler, address = '127.0.0.1', port = 0): Promise<Site> {
  const server = createServer((request, response) => {
    site.requests.push(request);
    handler(request, response);
  });
  const site = await listen(server, address, port);
  return site;
}

/** Starts a site that writes any bytes to its sockets. */
export function startRawSite(handler: (socket: Socket) => void): Promise<Site> {
  // A socket that nobody reads does not notice that the other side has closed it.
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

/** Writes until the connection closes, as fast as the other side reads. */
export function writeForever(response: NodeJS.WritableStream, chunk: Uint8Array): void {
  while (response.write(chunk)) if (!response.writable) return;
  response.once('drain', () => writeForever(response, chunk));
}
