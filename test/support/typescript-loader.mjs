// Hooks of Node's module loader that run TypeScript. Newer versions of Node do so themselves.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

let bundles;

/** `bundles` is a directory with bundles of programs, by the names of their modules. They start in a fifth of the time. */
export function initialize(data) {
  bundles = data?.bundles;
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const source = bundleOf(url) ?? (await transformed(fileURLToPath(url)));
  return { format: 'module', source, shortCircuit: true };
}

function bundleOf(url) {
  if (!bundles) return undefined;
  const bundle = path.join(bundles, `${path.basename(fileURLToPath(url), '.ts')}.js`);
  return existsSync(bundle) ? `import ${JSON.stringify(pathToFileURL(bundle).href)};` : undefined;
}

async function transformed(file) {
  const { transformSync } = await import('rolldown/utils');
  const { code, errors } = transformSync(file, await readFile(file, 'utf8'));
  if (errors.length > 0) throw errors[0];
  return code;
}
