// Lets child processes run the TypeScript of `src`. Newer versions of Node do so themselves.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

// Vitest's own processes transform TypeScript themselves.
if (!process.env.VITEST && !process.features.typescript) register(import.meta.url);

/** A hook of Node's module loader. */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transformSync } = await import('rolldown/utils');
  const file = fileURLToPath(url);
  const { code, errors } = transformSync(file, await readFile(file, 'utf8'));
  if (errors.length > 0) throw errors[0];
  return { format: 'module', source: code, shortCircuit: true };
}
