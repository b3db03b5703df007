// Starts servers and workers of the built Nexus as processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const PORT = '18480';

/** Returns the URL of the database that `withDatabase` provides. */
export function addressOf({ host, port, username, password }) {
  return `postgres://${username}:${encodeURIComponent(password)}@localhost:${port}/bench?host=${encodeURIComponent(host)}`;
}

/** Starts `nexus serve --no-worker` without rate limits, and resolves when it is ready. */
export async function startNexus(database, environment) {
  const settings = {
    NEXUS_PORT: PORT,
    NEXUS_REQUESTS_PER_MINUTE: '1000000,1000000,1000000,1000000',
    NEXUS_LOG_LEVEL: 'warn',
    ...environment,
  };
  const nexus = await start(['serve', '--no-worker'], database, settings);
  return { ...nexus, port: Number(settings.NEXUS_PORT) };
}

/** Starts `nexus worker`, and resolves when it is ready. */
export function startWorker(database, environment) {
  return start(['worker'], database, { NEXUS_LOG_LEVEL: 'info', NEXUS_LOG_FORMAT: 'json', ...environment });
}

async function start(command, database, environment) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'nexus-bench-http-'));
  const child = spawn(process.execPath, [MAIN, ...command], {
    env: {
      ...process.env,
      NEXUS_ENV: 'dev',
      NEXUS_DATA_DIR: directory,
      NEXUS_DATABASE_URL: database,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    if (!printed.includes('is ready')) printed += chunk;
  });
  while (!printed.includes('is ready')) {
    if (child.exitCode !== null) throw new Error(`Nexus ended: ${printed}`);
    await pause(50);
  }
  return {
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
