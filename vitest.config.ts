import os from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * What a busy neighbour would spoil: some measure time, and some read the feed of events, which shows an event when no older
 * transaction is under way on the server that all of them share.
 */
const ALONE = [
  'src/features/events/events.test.ts',
  'src/features/media/extractors/hostile.test.ts',
  'test/browser/long-list.test.ts',
  'test/event-loop/health.test.ts',
  'test/media/media.test.ts',
  'test/outbox/streams.test.ts',
  'test/pooler/pooler.test.ts',
];

/** What every run of tests has in common; the soak and the screenshots, too. */
export const shared = {
  globalSetup: ['test/global-setup.ts'],
  setupFiles: ['test/file-setup.ts'],
  pool: 'forks' as const,
  // Processes that the code under test starts run TypeScript, too.
  execArgv: ['--import', './test/typescript-in-processes.mjs'],
  // A machine that others use may stop for seconds: on CI, what fails twice is a fault.
  retry: process.env.CI ? 1 : 0,
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'side by side',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          // Much of their time is spent waiting: for PostgreSQL, for processes, for a browser.
          maxWorkers: Math.max(2, os.availableParallelism() - 1),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'alone',
          include: ALONE,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
