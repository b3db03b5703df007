// Runs `npm test` five times, the second and the fourth on a loaded machine, and prints how each run ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const LOADED = [false, true, false, true, false];
const BUSY = 'for (;;) Math.random();';

let failed = 0;
for (const [index, isLoaded] of LOADED.entries()) {
  const load = isLoaded ? startLoad() : [];
  const started = performance.now();
  const log = path.join(os.tmpdir(), `nexus-test-run-${index + 1}.log`);
  const code = await runTests(log);
  const seconds = Math.round((performance.now() - started) / 1000);
  for (const child of load) child.kill('SIGKILL');
  if (code !== 0) failed += 1;
  const outcome = code === 0 ? 'passed' : `FAILED (exit code ${code}, see ${log})`;
  print(`Run ${index + 1}, ${isLoaded ? 'loaded' : 'idle'}: ${outcome} in ${seconds} s`);
}
print(`${LOADED.length - failed} of ${LOADED.length} runs passed.`);
process.exitCode = failed === 0 ? 0 : 1;

/** Starts a busy process for every core. */
function startLoad() {
  return Array.from({ length: os.availableParallelism() }, () =>
    spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }),
  );
}

async function runTests(log) {
  const output = createWriteStream(log);
  await once(output, 'open');
  const tests = spawn('npm', ['test'], { stdio: ['ignore', output, output] });
  const [code] = await once(tests, 'close');
  output.end();
  return code;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
