import { mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Pictures of the main pages, from a real Nexus with something in it, into docs/screenshots. */
export default mergeConfig(
  { ...config, test: { ...config.test, include: [] } },
  {
    test: { include: ['test/browser/*.screenshots.ts'], testTimeout: 300_000, disableConsoleIntercept: true },
  },
);
