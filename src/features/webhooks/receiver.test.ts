import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { DEV_KEYS, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { fileDir } from '../../../test/support/workspace.ts';

const database = useDatabase();
const app = useApp(database, { NEXUS_EGRESS_ALLOW: '127.0.0.1/32' }, { listen: true });
const key = DEV_KEYS.admin;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

let receiver: ChildProcess | undefined;
let directory = '';
afterAll(async () => {
  if (receiver) {
    receiver.kill();
    await once(receiver, 'exit');
  }
  await rm(directory, { recursive: true, force: true });
});

/** Runs the program in docs/webhooks.md, in a place from where it finds the library. */
async function startDocumentedReceiver(secret: string, port = '0') {
  const [, program = ''] =
    /```js\n([\s\S]*?)```/.exec(await readFile(path.join(ROOT, 'docs/webhooks.md'), 'utf8')) ?? [];
  directory = await mkdtemp(path.join(ROOT, 'node_modules', '.receiver-'));
  await writeFile(path.join(directory, 'receiver.mjs'), program);
  receiver = spawn(process.execPath, [path.join(directory, 'receiver.mjs')], {
    env: { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret, PORT: port, TEST_FILE_DIR: fileDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: receiver.stdout as NodeJS.ReadableStream });
  return lines[Symbol.asyncIterator]();
}

test('the receiver of docs/webhooks.md verifies what Nexus sends, and refuses what it did not', async () => {
  // The secret is known only after the webhook was made, and the webhook needs an address: it is changed afterwards.
  const made = await app.call('POST', '/api/v1/webhooks', {
    key,
    body: { url: 'http://127.0.0.1:1/', event_types: ['api_key.created'] },
  });
  const lines = await startDocumentedReceiver(made.body.data.secret);
  const port = /listening on (\d+)/.exec((await lines.next()).value)?.[1];
  const url = `http://127.0.0.1:${port}/`;
  await app.call('PATCH', `/api/v1/webhooks/${made.body.data.id}`, { key, body: { url } });
  const worker = await app.engine.work({ concurrency: 1, pollSeconds: 60, graceSeconds: 5 });
  const { body } = await app.call('POST', '/api/v1/api-keys', {
    key,
    body: { username: 'dev-viewer', name: 'told about' },
  });
  expect((await lines.next()).value).toMatch(/^api_key\.created [0-9a-f-]{36}$/);
  expect(body.data.key).toMatch(/^nxs_/);
  const forged = await fetch(url, {
    method: 'POST',
    headers: {
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    },
    body: '{}',
  });
  expect(forged.status).toBe(400);
  await worker.stop();
});
