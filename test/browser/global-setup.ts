import { rm } from 'node:fs/promises';
import sparticuz from '@sparticuz/chromium';
import type { TestProject } from 'vitest/node';
import { createRunDirectory } from '../support/run-directory.ts';
import { withTemporaryFilesIn } from './temporary-files.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Chromium of the run, and the directory of all its files. */
    chromium: { executablePath: string; directory: string };
  }
}

/** Unpacks one Chromium for the run. Every process that runs test files starts it once. */
export default async function setup(project: TestProject) {
  const directory = await createRunDirectory();
  const executablePath = await withTemporaryFilesIn(directory, () => sparticuz.executablePath());
  project.provide('chromium', { executablePath, directory });

  // A Chromium whose process was killed may still write into its directory.
  return () => rm(directory, { recursive: true, force: true, maxRetries: 10 });
}
