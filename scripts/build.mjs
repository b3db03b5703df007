// Builds the server and the web app into dist/. With --if-changed, only if a source has changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import config from '../rolldown.config.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Holds a hash of the sources that dist/ was built from. Written last, so an interrupted build leaves none. */
const STAMP = path.join(ROOT, 'dist', '.built-from');
const SOURCES = ['src', 'web', 'scripts', 'package-lock.json', 'rolldown.config.mjs'];

const sources = hashSources();
if (!process.argv.includes('--if-changed') || sources !== builtFrom()) {
  rmSync(path.join(ROOT, 'dist'), { recursive: true, force: true });
  await build({ ...config, cwd: ROOT });
  run('vite', 'build', 'web', '--logLevel', 'warn');
  writeFileSync(STAMP, sources);
}

/** Compares contents, not times: `git checkout` changes times without changing files, and files without newer times. */
function hashSources() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesIn)
    .filter((name) => !name.endsWith('.test.ts'))
    .sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(ROOT, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesIn(source) {
  if (path.extname(source) !== '') return [source];
  return readdirSync(path.join(ROOT, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}

function builtFrom() {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function run(program, ...args) {
  const { status, error } = spawnSync(path.join(ROOT, 'node_modules', '.bin', program), args, {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
