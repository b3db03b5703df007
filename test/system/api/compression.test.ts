import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { createReader, type Reader } from '../../support/libraries.ts';
import { saveReady } from '../../support/saved-media.ts';

const database = useDatabase();
const app = useApp(database);
const TEXT = 'The lamp on the desk lights the page. '.repeat(20_000);

let reader: Reader;
let mediaId: string;
beforeAll(async () => {
  reader = await createReader(app);
  mediaId = await saveReady(database.sql, reader, { texts: [TEXT] });
});

/** Sends a request as a browser does. Unlike `fetch`, it leaves the body as it was sent. */
async function ask(path: string, encoding: string): Promise<IncomingMessage> {
  const headers = { 'accept-encoding': encoding, 'x-nexus-api-key': reader.key };
  const [answer] = await once(request(`${app.url}${path}`, { headers }).end(), 'response');
  return answer;
}

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
  ['gzip;q=1, br;q=0', gunzipSync],
] as const)('a long answer is compressed for a client that accepts %s', async (encoding, decompress) => {
  const plain = await buffer(await ask(`/media/${mediaId}/fragments`, 'identity'));
  const answer = await ask(`/media/${mediaId}/fragments`, encoding);
  expect(answer.headers['content-encoding']).toBe(encoding.slice(0, encoding.startsWith('br') ? 2 : 4));
  expect(answer.headers.vary).toContain('accept-encoding');
  const sent = await buffer(answer);
  expect(sent.length).toBeLessThan(plain.length / 50);
  expect(decompress(sent).equals(plain)).toBe(true);
});

test.each(['/openapi.json', '/docs'])('%s is compressed', async (path) => {
  const answer = await ask(path, 'br');
  expect(answer.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(await buffer(answer)).length).toBeGreaterThan(1000);
});

test.each(['identity', '', 'deflate, zstd'])(
  'a client that accepts %j gets the plain answer',
  async (encoding) => {
    const answer = await ask('/openapi.json', encoding);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(String(await buffer(answer))).openapi).toMatch(/^3\.1/);
  },
);

test('a short answer and an event stream are not compressed', async () => {
  for (const path of ['/healthz', '/api/v1/events/stream']) {
    const answer = await ask(path, 'br, gzip');
    expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined]);
    answer.destroy();
  }
});

test('a compressed request is refused, because it may be a bomb', async () => {
  const answer = await fetch(`${app.url}/libraries`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-nexus-api-key': DEV_KEYS.viewer,
    },
    body: gzipSync('{"name":"a"}'),
  });
  expect({ status: answer.status, body: await answer.json() }).toMatchObject(
    failure(400, 'E_INVALID_REQUEST'),
  );
});
