import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import type { CodeSplittingGroup } from 'rolldown';
import { defineConfig, type Plugin } from 'vite';

/** The server that `npm run dev` runs beside the web app. */
const NEXUS = `http://127.0.0.1:${process.env.NEXUS_PORT ?? 8080}`;

const OUT = fileURLToPath(new URL('../dist/web', import.meta.url));

/** Copies character maps and standard fonts, which pdf.js loads when a PDF does not embed them. */
function pdfResources(): Plugin {
  const home = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  return {
    name: 'pdf-resources',
    apply: 'build',
    async closeBundle() {
      for (const part of ['cmaps', 'standard_fonts']) {
        await cp(path.join(home, part), path.join(OUT, 'pdfjs', part), { recursive: true });
      }
    },
  };
}

/** Writes compressed versions of scripts and styles, so that the server does not compress them for every request. */
function compressed(): Plugin {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return {
    name: 'compressed',
    apply: 'build',
    async closeBundle() {
      const directory = path.join(OUT, 'assets');
      const names = (await readdir(directory)).filter((name) => /\.(m?js|css)$/.test(name));
      for (const file of names.map((name) => path.join(directory, name))) {
        const content = await readFile(file);
        await writeFile(`${file}.gz`, await promisify(gzip)(content));
        await writeFile(`${file}.br`, await promisify(brotliCompress)(content, quality));
      }
    },
  };
}

/**
 * Puts the modules that the app loads first into one chunk, and those that several pages share into another. By default,
 * each set of pages that share a module has a chunk of its own, and a page was up to twenty requests of a few hundred bytes.
 */
const GROUPS: CodeSplittingGroup[] = [
  { name: 'libraries', tags: ['$initial'], test: /node_modules/, priority: 3 },
  { name: 'app', tags: ['$initial'], priority: 2 },
  { name: 'icons', test: /lucide-react/, priority: 1 },
  { name: 'shared', test: /web\/src\/(api|library|mine|ui)\/(?!media-view|virtual-media)/, minShareCount: 2 },
];

/** The version for browsers of this part of micromark needs a document. Markdown is parsed in a worker, which has none. */
const ENTITIES = 'decode-named-character-reference';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: { alias: { [ENTITIES]: createRequire(import.meta.url).resolve(ENTITIES) } },
  base: '/app/',
  plugins: [react(), pdfResources(), compressed()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The Content-Security-Policy forbids data: scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
  server: {
    // `/media`: the images in HTML that was stored before the API moved to /api/v1.
    proxy: Object.fromEntries(['^/$', '/api', '/app/session', '/media'].map((path) => [path, NEXUS])),
  },
});
