// Measures the time from start to the first response, and the memory of an idle Nexus and its PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const ROUNDS = 5;

async function start(dataDir) {
  const begin = performance.now();
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: {
      PATH: process.env.PATH,
      NEXUS_ENV: 'test',
      NEXUS_DATA_DIR: dataDir,
      NEXUS_PORT: '0',
      NEXUS_LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let address;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  while (!address) {
    await once(child.stdout, 'data');
    address = /Open +(http\S+)/.exec(output)?.[1];
  }
  const response = await fetch(`${address}/api/v1/auth/whoami`, {
    headers: { 'x-nexus-api-key': 'nexus-dev-viewer-key' },
  });
  if (response.status !== 200) throw new Error(`Unexpected status: ${response.status}`);
  return { child, seconds: (performance.now() - begin) / 1000 };
}

async function stop(child, signal) {
  child.kill(signal);
  await once(child, 'exit');
}

/** Returns the proportional set size, which counts shared pages once. */
async function memory(pids) {
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss: +(\d+)/m.exec(rollup)?.[1] ?? 0);
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

async function childrenOf(pid) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((id) => readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => Number(stats[index].split(') ')[1]?.split(' ')[1]) === pid).map(Number);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const first = [];
const later = [];
const afterKill = [];
let sizes;

for (let round = 0; round < ROUNDS; round++) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'nexus-bench-'));
  await chmod(dataDir, 0o711);
  const one = await start(dataDir);
  first.push(one.seconds);
  await stop(one.child, 'SIGTERM');
  const two = await start(dataDir);
  later.push(two.seconds);
  if (process.platform === 'linux') {
    const postmaster = Number.parseInt(
      await readFile(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'),
      10,
    );
    sizes = [await memory([two.child.pid]), await memory([postmaster, ...(await childrenOf(postmaster))])];
  }
  await stop(two.child, 'SIGKILL');
  const three = await start(dataDir);
  afterKill.push(three.seconds);
  await stop(three.child, 'SIGTERM');
  await rm(dataDir, { recursive: true });
}

const row = (name, values) =>
  `${name.padEnd(28)} ${median(values).toFixed(2)} s   ${(median(values) / median(later)).toFixed(2)} ×`;
process.stdout.write(
  [
    `from start to the first response, median of ${ROUNDS}, and relative to a later start:`,
    row('first start', first),
    row('later start', later),
    row('after kill -9 of Nexus', afterKill),
    sizes ? `idle memory: Nexus ${sizes[0].toFixed(0)} MiB, PostgreSQL ${sizes[1].toFixed(0)} MiB (PSS)` : '',
    '',
  ].join('\n'),
);
