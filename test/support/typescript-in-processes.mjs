// `node --import` this to run TypeScript. `?bundles=` names a directory of bundled programs, which start in a fifth of the time.
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const bundles = new URL(import.meta.url).searchParams.get('bundles');
const bundle = bundles && path.join(bundles, `${path.basename(process.argv[1] ?? '', '.ts')}.js`);

if (!process.features.typescript) {
  if (bundle && existsSync(bundle)) await runInstead(bundle);
  register(new URL('typescript-loader.mjs', import.meta.url));
}

/** Runs a bundle and never returns, so Node does not load the program itself. Hooks of the loader need a thread, which takes 0.1 s. */
async function runInstead(file) {
  await import(pathToFileURL(file).href);
  // Node exits with an error when nothing is left to do but this module has not ended.
  process.once('beforeExit', () => process.exit());
  await new Promise(() => {});
}
