import { readFileSync } from 'node:fs';
import os from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The PostgreSQL of a run; the browser is for the tests that need one. */
const SERVER = 'test/support/global-setup.ts';
export const CHROMIUM = 'test/browser/global-setup.ts';

/** Settings of every run of tests, including the soak and the screenshots. */
export const shared = {
  globalSetup: [SERVER],
  setupFiles: ['test/support/file-setup.ts'],
  pool: 'forks' as const,
  // Files share a process and its modules: importing Nexus takes longer than most files run.
  isolate: false,
  // Half of the time is spent waiting: for PostgreSQL, for processes, for a browser. With one process less, a run takes a
  // fifth longer.
  maxWorkers: os.availableParallelism() + 2,
  // A larger young generation spares a third of the garbage collection.
  execArgv: ['--max-semi-space-size=32'],
  // Only a test that hangs takes this long, even on a machine that others use.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // The default of a second is too short for a page that loads while other tests run.
  expect: { poll: { timeout: 20_000 } },
  tags: [
    { name: 'slow', description: 'Takes seconds or starts processes. `npm run test:fast` leaves it out.' },
  ],
};

/** The tests that run in Node alone. */
export const node = {
  ...shared,
  include: ['{src,web,test}/**/*.test.ts'],
  exclude: [...configDefaults.exclude, 'test/browser/**'],
};

/** Runs long files first, so that none is left for the end: tests of the whole, then files with slow tests. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      if (moduleId.includes('/test/browser/')) return 0;
      if (moduleId.includes('/test/')) return 1;
      return /\bslow\b/.test(readFileSync(moduleId, 'utf8')) ? 2 : 3;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: [SERVER],
    sequence: { sequencer: LongFilesFirst },
    maxWorkers: shared.maxWorkers,
    projects: [
      {
        test: { ...shared, name: 'browser', include: ['test/browser/*.test.ts'], globalSetup: [CHROMIUM] },
      },
      { test: { ...node, name: 'node', globalSetup: [] } },
    ],
  },
});
