import { defineConfig } from 'vitest/config';
import { shared } from '../../../../vitest.config.ts';

/** The same harness around files that misbehave on purpose. */
export default defineConfig({ test: { ...shared, include: ['test/system/harness/leaks/*.leak.ts'] } });
