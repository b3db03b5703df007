import { afterAll, inject, vi } from 'vitest';
import { useBundles } from './process-bundles.ts';
import { processesMentioning, signalAll } from './processes.ts';
import { beginFile, endFile, fileDir } from './workspace.ts';

beginFile();
useBundles(inject('bundles'));

/** Registered before the hooks of the file, so it runs after all of them: a process that is still alive has leaked. */
afterAll(async () => {
  await endFile();
  try {
    await vi.waitFor(async () => {
      const left = await processesMentioning(fileDir);
      if (left.length > 0)
        throw new Error(left.map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`).join('\n'));
    }, 10_000);
  } catch (error) {
    const left = await processesMentioning(fileDir);
    signalAll(
      left.map(({ pid }) => pid),
      'SIGKILL',
    );
    throw new Error(`This file left processes behind:\n${(error as Error).message}`);
  }
});
