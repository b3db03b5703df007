// Runs Nexus for development: the server restarts and the web app reloads when a source changes. Ctrl-C ends both.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { watch } from 'rolldown';
import config from '../rolldown.config.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WEB_PORT = process.env.WEB_PORT ?? '5173';
const VITE = path.join(ROOT, 'node_modules', '.bin', 'vite');

// dist/ is about to hold whatever the sources are at any moment: the next `npm start` has to build.
rmSync(path.join(ROOT, 'dist', '.built-from'), { force: true });

let isStopping = false;
const web = start('web', VITE, ['web', '--host', '127.0.0.1', '--port', WEB_PORT, '--strictPort']);
let server;
let restarting = Promise.resolve();

const bundler = watch({ ...config, cwd: ROOT });
bundler.on('event', async (event) => {
  if (event.code === 'END') restarting = restarting.then(restartServer);
  if (event.code === 'ERROR') print('build', event.error.message);
  if (event.code === 'BUNDLE_END' || event.code === 'ERROR') await event.result.close();
});
web.exited.then(() => stop(1));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0));

/** Starts a program in a process group of its own, so that Ctrl-C reaches it once and its own children end with it. */
function start(name, program, args, env = {}) {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => print(name, line));
  }
  return { child, exited: once(child, 'close') };
}

function print(name, line) {
  process.stdout.write(`${name.padEnd(6)} | ${line}\n`);
}

/** Waits until the old server has stopped its PostgreSQL: two servers cannot share a data directory. */
async function restartServer() {
  await end(server);
  if (isStopping) return;
  server = start('server', process.execPath, ['dist/main.js', 'serve'], {
    NEXUS_PUBLIC_URL: `http://127.0.0.1:${WEB_PORT}`,
  });
}

async function end(running) {
  if (!running) return;
  const { child, exited } = running;
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGTERM');
  await exited;
}

async function stop(code) {
  if (isStopping) return;
  isStopping = true;
  await bundler.close();
  await restarting;
  await Promise.all([server, web].map(end));
  process.exit(code);
}
