import { expect, test } from 'vitest';
import { call } from '../../support/app.ts';
import { copyCheckout } from '../../support/checkout.ts';
import { npmStart } from '../../support/nexus-process.ts';
import { processesMentioning } from '../../support/processes.ts';
import { fileDir, newDirectory } from '../../support/workspace.ts';

const root = await copyCheckout(0o755);
const env = { NEXUS_DATA_DIR: await newDirectory('data') };

test('npm start serves until SIGTERM, which npm passes on', async () => {
  const npm = npmStart({ root, env });
  expect((await call(await npm.ready(), 'GET', '/healthz')).status).toBe(200);
  npm.child.kill('SIGTERM');
  await npm.exited;
  expect(npm.output()).toContain('"msg":"stopped"');
  expect(await processesMentioning(fileDir)).toEqual([]);
});

test('npm start serves until Ctrl-C, which the terminal sends to everybody at once', async () => {
  const npm = npmStart({ root, env });
  await npm.ready();
  process.kill(-npm.pid, 'SIGINT');
  await npm.exited;
  expect(npm.output()).toContain('"msg":"stopped"');
  expect(await processesMentioning(fileDir)).toEqual([]);
});
