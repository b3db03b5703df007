// The web site whose pages are saved: it answers as slowly as sites do, but always the same page after the same time.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { makePage } from '../extract/pages.mjs';
import { logNormal, seeded } from '../random.mjs';

/** Half of all answers take longer than this; one in a hundred takes ten times as long. */
export const SITE = { median_ms: 300, spread: 1, longest_ms: 8000, failing_share: 0.04 };

const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Milliseconds until the site answers for this page, or for its image. */
export function answersAfter(number, isImage = false) {
  const random = seeded(number * 2 + (isImage ? 1 : 0));
  return Math.min(SITE.longest_ms, logNormal(random, SITE.median_ms, SITE.spread));
}

/** Whether the site fails when it is asked for this page for the first time. */
export function failsAtFirst(number) {
  return seeded(number + 2 ** 31)() < SITE.failing_share;
}

/** Starts the site. A page that fails at first is answered with 503 once. */
export async function startSite() {
  const asked = new Set();
  const server = createServer((request, response) => {
    const number = Number(/\d+/.exec(request.url)?.[0]);
    const isImage = request.url.startsWith('/images/');
    setTimeout(
      () => {
        if (isImage) response.setHeader('content-type', 'image/png').end(IMAGE);
        else if (failsAtFirst(number) && !asked.has(number)) response.writeHead(503).end();
        else response.setHeader('content-type', 'text/html; charset=utf-8').end(makePage(number));
        asked.add(number);
      },
      answersAfter(number, isImage),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, stop: () => server.close() };
}
