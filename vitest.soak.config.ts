import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/** Runs many faults in minutes; not part of the tests. `SOAK_JOBS` sets the number of jobs and `SOAK_SEED` the sequence. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/soak/*.soak.ts'],
    testTimeout: 3_600_000,
    disableConsoleIntercept: true,
  },
});
