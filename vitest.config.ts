import os from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that need the built program, a browser or a PostgreSQL of their own. */
const PROCESSES = ['test/crash/**', 'test/system/{cli,embedded,event-loop,harness,pooler}/**'];
const BROWSER = ['test/browser/**'];

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
  // Child processes that the code under test starts run TypeScript, too.
  execArgv: ['--import', './test/support/typescript-in-processes.mjs'],
  // Only a test that hangs takes this long, even on a machine that others use.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  tags: [
    { name: 'slow', description: 'Takes seconds or starts processes. `npm run test:fast` leaves it out.' },
  ],
};

/** Runs one project after the other, those with the longest files first, so that no long file is left for the end. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ['browser', 'processes', 'features'];
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name));
  }
}

const project = (name: string, include: string[], exclude: string[] = [], globalSetup: string[] = []) => ({
  test: {
    ...shared,
    name,
    include: include.map((folder) => `${folder}/*.test.ts`),
    exclude: [...configDefaults.exclude, ...exclude],
    globalSetup,
  },
});

export default defineConfig({
  test: {
    globalSetup: [SERVER],
    sequence: { sequencer: ByProject },
    // Half of the time is spent waiting: for PostgreSQL, for processes, for a browser.
    maxWorkers: os.availableParallelism() + 1,
    projects: [
      project('browser', BROWSER, [], [CHROMIUM]),
      project('processes', PROCESSES),
      project('features', ['src/**', 'web/**', 'test/**'], [...PROCESSES, ...BROWSER]),
    ],
  },
});
