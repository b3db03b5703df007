import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { failure, type TestApp, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { newDirectory } from '../../support/workspace.ts';

const webDirectory = await newDirectory('web');
await mkdir(path.join(webDirectory, 'assets'));
await writeFile(path.join(webDirectory, 'index.html'), '<!doctype html><title>Nexus</title>');
await writeFile(path.join(webDirectory, 'assets', 'main-8f3a.js'), 'export {};'.repeat(10));
await writeFile(path.join(webDirectory, 'assets', 'main-8f3a.js.br'), 'compressed');
await writeFile(path.join(webDirectory, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
await writeFile(path.join(webDirectory, '..', 'secret.txt'), 'not for the web');

const database = useDatabase();
const app = useApp(database, {}, { webDirectory });
const store = {
  NEXUS_STORAGE: 's3',
  NEXUS_S3_ENDPOINT: 'https://files.example:9000',
  NEXUS_S3_BUCKET: 'nexus',
};
const withStore = useApp(database, store, { webDirectory });
const withDirectUploads = useApp(database, { ...store, NEXUS_S3_DIRECT_UPLOADS: 'true' }, { webDirectory });
const unbuilt = useApp(database, {}, { webDirectory: '/nowhere' });

test('/ leads to the app', async () => {
  for (const from of ['/', '/app']) {
    const { status, headers } = await app.call('GET', from);
    expect([status, headers.get('location')]).toEqual([302, '/app/']);
  }
});

test('every path of the app returns its page, with the strict policy, and is never cached', async () => {
  for (const place of ['/app/', '/app/index.html', '/app/library/0198/read', '/app/welcome']) {
    const { status, headers, body } = await app.call('GET', place);
    expect([status, body]).toEqual([200, '<!doctype html><title>Nexus</title>']);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; worker-src 'self' blob:; media-src 'self'; frame-src https://www.youtube-nocookie.com; " +
        "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('the policy lets uploads go to the store that takes them directly, and nowhere else', async () => {
  const connectSource = async ({ call }: TestApp) =>
    /connect-src ([^;]*)/.exec(
      (await call('GET', '/app/')).headers.get('content-security-policy') ?? '',
    )?.[1];
  expect(await connectSource(app)).toBe("'self'");
  expect(await connectSource(withStore)).toBe("'self'");
  expect(await connectSource(withDirectUploads)).toBe("'self' https://files.example:9000");
});

test('files with a hash in their names are cached for ever, and compressed if the browser accepts it', async () => {
  const plain = await app.call('GET', '/app/assets/main-8f3a.js', {
    headers: { 'accept-encoding': 'identity' },
  });
  expect(plain.status).toBe(200);
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(plain.headers.get('content-type')).toContain('javascript');
  const { headers } = await fetch(`${app.url}/app/assets/main-8f3a.js`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'br' },
  });
  expect(headers.get('content-encoding')).toBe('br');
  expect(headers.get('vary')).toContain('accept-encoding');
  expect((await app.call('GET', '/app/favicon.svg')).headers.get('cache-control')).toBe('no-cache');
});

test('an asset that does not exist is 404, not the page', async () => {
  expect(await app.call('GET', '/app/assets/gone-1234.js')).toMatchObject(failure(404, 'E_NOT_FOUND'));
});

test.each([
  '/app/../secret.txt',
  '/app/%2e%2e/secret.txt',
  '/app/..%2fsecret.txt',
  '/app/assets/..%2f..%2fsecret.txt',
  '/app/x.%00',
  '/app/assets/.',
  '/app/..',
])('%s does not lead out of the app', async (target) => {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  const answer = (await socket.setEncoding('utf8').toArray()).join('');
  expect(answer).toMatch(/^HTTP\/1\.1 (404|400|403) /);
  expect(answer).not.toContain('not for the web');
});

test('a build without the web app says so', async () => {
  const { status, body, headers } = await unbuilt.call('GET', '/app/');
  expect([status, headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(body).toContain('npm run build');
});
