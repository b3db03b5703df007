import os from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const ALONE = [
  'src/features/events/events.test.ts',
  'src/features/media/extractors/hostile.test.ts',
  'test/browser/long-list.test.ts',
  'test/system/event-loop/health.test.ts',
  'src/features/media/media.test.ts',
  'src/features/events/streams.test.ts',
  'test/system/pooler/pooler.test.ts',
];

/** Settings of every run of tests, including the soak and the screenshots. */
export const shared = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/file-setup.ts'],
  pool: 'forks' as const,
  // Files share a process and its modules: importing Nexus takes longer than most files run.
  isolate: false,
  // Child processes that the code under test starts run TypeScript, too.
  execArgv: ['--import', './test/support/typescript-in-processes.mjs'],
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
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
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
