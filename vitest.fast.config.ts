import { defineConfig } from 'vitest/config';
import { node } from './vitest.config.ts';

/** Runs the tests that need neither the built program nor a browser, and take little time. */
export default defineConfig({
  test: {
    ...node,
    exclude: [...node.exclude, 'test/crash/**', 'test/system/{cli,embedded,event-loop,harness,pooler}/**'],
  },
});
