import { defineConfig } from 'vitest/config';
import { CHROMIUM, shared } from './vitest.config.ts';

/** Takes pictures of the main pages of a real Nexus with documents in it, into docs/screenshots. */
export default defineConfig({
  test: {
    ...shared,
    globalSetup: [...shared.globalSetup, CHROMIUM],
    include: ['test/browser/*.screenshots.ts'],
    testTimeout: 300_000,
    disableConsoleIntercept: true,
  },
});
