// Measures the whole path from saving a link to a readable page: API, queue, fetch, extraction in a process, commit. It
// uses one `nexus serve` with its default worker.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makePage } from './pages.mjs';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const PAGES = 300;
const PARALLEL_SAVES = 10;
const WARM_UP = 20;
const POLL_MS = 50;

export async function measureWholePath() {
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(makePage(Number(/\d+/.exec(request.url)?.[0])));
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'nexus-bench-'));
  await chmod(dataDir, 0o711);
  const nexus = await startNexus(dataDir, port);
  try {
    await saveAndWait(nexus, port, 0, WARM_UP);
    const begin = performance.now();
    await saveAndWait(nexus, port, WARM_UP, WARM_UP + PAGES);
    const seconds = (performance.now() - begin) / 1000;
    return { pages: PAGES, pages_per_second: Number((PAGES / seconds).toFixed(1)) };
  } finally {
    nexus.child.kill('SIGTERM');
    await once(nexus.child, 'exit');
    site.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function startNexus(dataDir, port) {
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: {
      PATH: process.env.PATH,
      NEXUS_ENV: 'test',
      NEXUS_DATA_DIR: dataDir,
      NEXUS_PORT: '0',
      NEXUS_LOG_FORMAT: 'json',
      NEXUS_EGRESS_ALLOW: `127.0.0.1:${port}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  let address;
  while (!address) {
    await once(child.stdout, 'data');
    address = /Open +(http:\/\/[^/\s]+)/.exec(output)?.[1];
  }
  return { child, address };
}

async function saveAndWait(nexus, port, from, to) {
  let next = from;
  const save = async () => {
    while (next < to) {
      const url = `http://127.0.0.1:${port}/posts/${next++}`;
      await call(nexus, 'POST', '/media/from_url', { url });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_SAVES }, save));
  while ((await countOf(nexus, 'pending')) + (await countOf(nexus, 'extracting')) > 0) await pause(POLL_MS);
  if ((await countOf(nexus, 'failed')) > 0) throw new Error('A page did not become readable.');
}

async function countOf(nexus, status) {
  const { data } = await call(nexus, 'GET', `/media?limit=1&status=${status}`);
  return data.length;
}

async function call({ address }, method, route, body) {
  const response = await fetch(`${address}${route}`, {
    method,
    headers: {
      'x-nexus-api-key': 'nexus-dev-researcher-key',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${route} failed with ${response.status}: ${await response.text()}`);
  return response.json();
}
