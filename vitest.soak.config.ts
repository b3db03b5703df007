import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/** Hours of trouble in minutes; not part of the tests. `SOAK_JOBS` and `SOAK_SEED` change its size and its course. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/soak/*.soak.ts'],
    testTimeout: 3_600_000,
    disableConsoleIntercept: true,
  },
});
