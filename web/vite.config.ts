import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const NEXUS = 'http://127.0.0.1:8080';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/app/',
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The Content-Security-Policy takes no data: scripts or styles, and small files cost nothing over one connection.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  // `npm run dev:web` beside a Nexus that runs on its usual port.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/me', '/users', '/libraries', '/media', '/search', '/app/session'].map((path) => [
        path,
        NEXUS,
      ]),
    ),
  },
});
