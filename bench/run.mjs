// `npm run bench -- <name> [flags]`: installs and builds what a benchmark needs, and runs it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCH = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.dirname(BENCH);

/** The benchmarks. `needsPeers`: it compares Nexus with the packages in bench/package.json. `needsBuild`: it starts Nexus. */
const BENCHMARKS = {
  jobs: { script: 'jobs/main.mjs', needsPeers: true },
  closure: { script: 'closure.mjs' },
  extract: { script: 'extract/main.mjs', needsPeers: true, needsBuild: true },
  analyze: { script: 'analyze.mjs' },
  documents: { script: 'documents.mjs' },
  outbox: { script: 'outbox.mjs' },
  lists: { script: 'lists.mjs' },
  http: { script: 'http.mjs', needsBuild: true },
  load: { script: 'load.mjs', needsBuild: true },
  simulate: { script: 'simulate/main.mjs', needsBuild: true },
  pages: { script: 'pages/main.mjs', needsBuild: true },
  'start-up': { script: 'start-up.mjs', needsBuild: true },
};

/** Runs a command in the foreground. Exits with its exit code if it fails. */
function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const [name, ...flags] = process.argv.slice(2);
const benchmark = Object.hasOwn(BENCHMARKS, name ?? '') ? BENCHMARKS[name] : undefined;
if (!benchmark) {
  process.stderr.write(`Usage: npm run bench -- <${Object.keys(BENCHMARKS).join('|')}> [flags]\n`);
  process.exit(2);
}
if (benchmark.needsPeers && !existsSync(path.join(BENCH, 'node_modules'))) run('npm', ['ci'], BENCH);
if (benchmark.needsBuild) run('npm', ['run', '--silent', 'build'], ROOT);
await import('./typescript.mjs');
// Runs in this process, so that it receives signals.
process.argv = [process.execPath, path.join(BENCH, benchmark.script), ...flags];
await import(new URL(benchmark.script, import.meta.url).href);
