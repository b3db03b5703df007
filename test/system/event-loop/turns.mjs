// Loaded into the server under test. Writes to TURNS_FILE how much CPU time, in milliseconds, its main thread uses between
// two turns of the event loop. Other programs change the time of an answer, but not this.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';

const { TURNS_FILE = '' } = process.env;
/** The server's child processes load this file, too. */
const isServer = path.basename(process.argv[1] ?? '') === 'main.js';

function cpuTime() {
  const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

if (isServer) {
  let last = cpuTime();
  setInterval(() => {
    const now = cpuTime();
    appendFileSync(TURNS_FILE, `${now - last}\n`);
    last = now;
  }, 20).unref();
}
