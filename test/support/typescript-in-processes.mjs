// `node --import` this to run TypeScript. `?bundles=` names the directory of bundled programs.
import { register } from 'node:module';

const bundles = new URL(import.meta.url).searchParams.get('bundles');
if (!process.features.typescript)
  register(new URL('typescript-loader.mjs', import.meta.url), { data: { bundles } });
