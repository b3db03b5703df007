import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import config, { childPrograms } from '../../rolldown.config.mjs';
import { removeAbandoned } from './run-directory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = path.join(ROOT, 'node_modules', '.cache');
const HOOK = new URL('typescript-in-processes.mjs', import.meta.url);

/** The programs that tests start in processes, apart from Nexus itself, which `npm run build` has built. */
const input = {
  ...childPrograms,
  'hostile-worker': 'test/support/fixtures/processes/hostile-worker.ts',
  'print-analysis': 'test/support/fixtures/processes/print-analysis.ts',
  'jobs-worker-process': 'test/crash/jobs/jobs-worker-process.ts',
};

/** Bundles the programs from the current sources. They must lie in the checkout to find the packages. */
export async function bundlePrograms(name: string): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  await removeAbandoned(CACHE);
  const directory = path.join(CACHE, name);
  await build({ ...config, cwd: ROOT, input, output: { ...config.output, dir: directory } });
  return directory;
}

export async function removeBundles(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

/** Makes the processes of a pool run the bundles: they start with the `--import` of this process. */
export function useBundles(directory: string): void {
  const hook = `${HOOK.href}?bundles=${encodeURIComponent(directory)}`;
  if (!process.execArgv.includes(hook)) process.execArgv = ['--import', hook];
}
