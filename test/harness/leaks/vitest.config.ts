import { defineConfig } from 'vitest/config';
import base from '../../../vitest.config.ts';

/** The same harness around files that misbehave on purpose. */
export default defineConfig({ ...base, test: { ...base.test, include: ['test/harness/leaks/*.leak.ts'] } });
