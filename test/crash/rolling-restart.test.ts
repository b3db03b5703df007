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

/** Sends a request over a connection that may be kept from an earlier one. */
async function send(url: string, options: http.RequestOptions, body: Buffer | string): Promise<Answer> {
  const request = http.request(url, { ...options, agent });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks = await response.toArray();
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

/**
 * A proxy that does what proxies do: it keeps connections, and tries another server when one refuses to connect. A server
 * may close a kept connection just when a request is sent over it, if nothing was for a second. Like Caddy and Traefik, the
 * proxy then repeats requests that read, and those with an idempotency key.
 */
async function startProxy(upstreams: string[]) {
  let turn = 0;
  const site = await startSite(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const first = turn++;
    for (let tries = 0; ; tries++) {
      const upstream = upstreams[(first + tries) % upstreams.length];
      try {
        const { method, headers } = request;
        const answer = await send(`${upstream}${request.url}`, { method, headers }, body);
        const { connection: _, ...passed } = answer.headers;
        response.writeHead(answer.status, passed).end(answer.body);
        return;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (tries < 100 && (code === 'ECONNREFUSED' || (isLost(code) && isRepeatable(request)))) continue;
        response.writeHead(502).end(String(error));
        return;
      }
    }
  });
  return { url: site.url, upstreams };
}

const isLost = (code: string | undefined) => code === 'ECONNRESET' || code === 'EPIPE';
const isRepeatable = ({ method, headers }: http.IncomingMessage) =>
  method === 'GET' || headers['idempotency-key'] !== undefined;

const key = { 'x-nexus-api-key': DEV_KEYS.researcher };

async function ask(url: string, path: string): Promise<number> {
  return (await send(url + path, { headers: key }, '')).status;
}

async function save(url: string, number: number): Promise<number> {
  const body = JSON.stringify({ url: `https://example.org/${number}` });
  const headers = {
    ...key,
    'content-type': 'application/json',
    'content-length': String(body.length),
    'idempotency-key': `save-${number}`,
  };
  return (await send(`${url}/api/v1/media`, { method: 'POST', headers }, body)).status;
}
