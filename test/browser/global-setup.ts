import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the Chromium that all files of the run share. */
    chromium: string;
  }
}

/** Not the arguments that the package proposes: they turn off the rules that these tests rely on. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

/** Starts one Chromium for the run. Every file has contexts of its own, which share nothing. */
export default async function setup(project: TestProject) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'nexus-chromium-'));
  const executablePath = await unpack(directory);
  const server = await chromium.launchServer({ executablePath, headless: true, args: ARGUMENTS });
  project.provide('chromium', server.wsEndpoint());

  return async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  };
}

/** The package unpacks itself into the directory for temporary files. */
async function unpack(directory: string): Promise<string> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = directory;
  try {
    return await sparticuz.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}
