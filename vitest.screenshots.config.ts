import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/** Pictures of the main pages, from a real Nexus with something in it, into docs/screenshots. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/browser/*.screenshots.ts'],
    testTimeout: 300_000,
    disableConsoleIntercept: true,
  },
});
