import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/** Runs many faults in minutes; not part of the tests. CONTRIBUTING.md has the variables. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/soak/*.soak.ts'],
    // Each file uses the whole machine.
    fileParallelism: false,
    testTimeout: 3_600_000,
    disableConsoleIntercept: true,
  },
});
