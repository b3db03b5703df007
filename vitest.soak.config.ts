import { mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Hours of trouble in minutes; not part of the tests. `SOAK_JOBS` and `SOAK_SEED` change its size and its course. */
export default mergeConfig(
  { ...config, test: { ...config.test, include: [] } },
  { test: { include: ['test/soak/*.soak.ts'], testTimeout: 3_600_000, disableConsoleIntercept: true } },
);
