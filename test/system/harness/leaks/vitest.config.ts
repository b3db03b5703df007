import { defineConfig } from 'vitest/config';
import { shared } from '../../../../vitest.config.ts';

/** Runs files that leak connections and processes on purpose. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/system/harness/leaks/*.leak.ts'],
    globalSetup: ['test/system/harness/leaks/global-setup.ts'],
  },
});
