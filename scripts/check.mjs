// Checks the format, the rules of the linter and the types. All programs run at the same time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

// Each checker of `tsc` finds out most types for itself: four of them, its default, take twice the time of one.
const codes = await Promise.all([
  run('tsc', '--checkers', '1'),
  run('biome', 'check', '--error-on-warnings', '.'),
  run('tsc', '--checkers', '1', '-p', 'web'),
]);
process.exitCode = Math.max(...codes);

/** Returns the exit code, or 1 for a program that was killed. */
async function run(program, ...args) {
  const child = spawn(path.join(ROOT, 'node_modules', '.bin', program), args, {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
