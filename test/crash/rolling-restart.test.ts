import { once } from 'node:events';
import http from 'node:http';
import { expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { useDatabase } from '../support/database.ts';
import { startSite } from '../support/internet.ts';
import { startNexus } from '../support/nexus-process.ts';

const database = useDatabase();
const CLIENTS = 8;

test('servers restart one after the other under load, and no request fails', async () => {
  const start = () => startNexus(['serve', '--no-worker'], { env: { NEXUS_DATABASE_URL: database.url } });
  const servers = [start(), start()];
  const proxy = await startProxy(await Promise.all(servers.map((server) => server.ready())));

  const statuses: Record<string, number> = {};
  let saved = 0;
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let n = 0; !isOver; n++) {
      const status =
        n % 2 === 0 ? await ask(proxy.url, '/api/v1/media?limit=5') : await save(proxy.url, saved++);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  });

  for (const [index, server] of servers.entries()) {
    await server.stop();
    const next = start();
    servers[index] = next;
    proxy.upstreams[index] = await next.ready();
  }
  isOver = true;
  await Promise.all(clients);
  for (const server of servers) expect(await server.stop()).toBe(0);
  expect(statuses).toEqual({ 200: expect.any(Number), 201: saved });
  expect(await database.sql`select from media`).toHaveLength(saved);
});

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

const agent = new http.Agent({ keepAlive: true });
const lastUse = new WeakMap<object, number>();

/** A connection that was lost under a request, after it was not used for this long. */
class Lost extends Error {
  readonly idleMs: number;

  constructor(idleMs: number) {
    super(`The connection was lost after ${Math.round(idleMs)} ms without a request.`);
    this.idleMs = idleMs;
  }
}

/** Sends a request over a connection that may be kept from an earlier one. */
async function send(url: string, options: http.RequestOptions, body: Buffer | string): Promise<Answer> {
  const request = http.request(url, { ...options, agent });
  let idleMs = 0;
  request.once('socket', (socket) => {
    const now = performance.now();
    idleMs = now - (lastUse.get(socket) ?? now);
  });
  request.end(body);
  try {
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const chunks = await response.toArray();
    if (request.socket) lastUse.set(request.socket, performance.now());
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ECONNRESET' || code === 'EPIPE' ? new Lost(idleMs) : error;
  }
}

/** A server closes connections after a second without a request. The client may see less of it on a busy machine. */
const IDLE_MS = 500;

/**
 * A proxy that does what proxies do: it keeps connections, tries another server when one refuses to connect, and sends a
 * request that only reads again when its connection is lost. It does so only for connections that were idle: a server that
 * drops a request in the middle fails the test.
 */
async function startProxy(upstreams: string[]) {
  let turn = 0;
  const site = await startSite(async (request, response) => {
    const { method, headers } = request;
    const body = Buffer.concat(await request.toArray());
    const first = turn++;
    for (let tries = 0; ; tries++) {
      const upstream = upstreams[(first + tries) % upstreams.length];
      try {
        const answer = await send(`${upstream}${request.url}`, { method, headers }, body);
        const { connection: _, ...passed } = answer.headers;
        response.writeHead(answer.status, passed).end(answer.body);
        return;
      } catch (error) {
        const wasRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
        const wasIdle = error instanceof Lost && error.idleMs > IDLE_MS;
        if (tries < 100 && (wasRefused || (wasIdle && method === 'GET'))) continue;
        response.writeHead(wasIdle ? 502 : 500).end(String(error));
        return;
      }
    }
  });
  return { url: site.url, upstreams };
}

const key = { 'x-nexus-api-key': DEV_KEYS.researcher };

async function ask(url: string, path: string): Promise<number> {
  return (await send(url + path, { headers: key }, '')).status;
}

/** Saves a link, as a program does that must not fail: it sends the request again, with the same key. */
async function save(url: string, number: number): Promise<number> {
  const body = JSON.stringify({ url: `https://example.org/${number}` });
  const headers = {
    ...key,
    'content-type': 'application/json',
    'content-length': String(body.length),
    'idempotency-key': `save-${number}`,
  };
  for (let tries = 0; ; tries++) {
    const { status } = await send(`${url}/api/v1/media`, { method: 'POST', headers }, body);
    if (status !== 502 || tries === 5) return status;
  }
}
