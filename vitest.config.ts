import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/file-setup.ts'],
    pool: 'forks',
    // Threads that the code under test starts run TypeScript, too.
    execArgv: ['--import', './test/typescript-in-threads.mjs'],
    // Some tests measure time, and a machine that others use may not give it: on CI, what fails twice is a fault.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
