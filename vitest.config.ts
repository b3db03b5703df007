import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/file-setup.ts'],
    pool: 'forks',
    // Left to itself, Vitest keeps a processor free; most of what a test does is to wait.
    maxWorkers: availableParallelism(),
    // Threads that the code under test starts run TypeScript, too.
    execArgv: ['--import', './test/typescript-in-threads.mjs'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
