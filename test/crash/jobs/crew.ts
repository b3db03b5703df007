import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { inject, onTestFinished } from 'vitest';
import type { ConnectionTarget } from '../../../src/platform/database/database.ts';
import { fileDir } from '../../support/workspace.ts';

/** A worker in a process of its own, running the engine. */
export interface WorkerProcess {
  child: ChildProcess;
  lines: string[];
  /** Resolves with the first line that matches; fails when it exits without. */
  says(pattern: RegExp): Promise<string>;
  /** Sends the signal and resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export async function spawnWorker(
  target: ConnectionTarget,
  env: Record<string, string> = {},
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [path.join(inject('bundles'), 'jobs-worker-process.js')], {
    env: { PATH: process.env.PATH ?? '', DATABASE: JSON.stringify(target), TEST_FILE_DIR: fileDir, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    child.emit('line');
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const worker: WorkerProcess = {
    child,
    lines,
    async says(pattern) {
      for (;;) {
        const line = lines.find((candidate) => pattern.test(candidate));
        if (line) return line;
        const isOver = await Promise.race([once(child, 'line').then(() => false), exited.then(() => true)]);
        if (isOver) throw new Error(`It exited without saying ${pattern}:\n${lines.join('\n')}`);
      }
    },
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
  // After the test, not after the file: a worker that a failed test left running must not fail the next test.
  onTestFinished(async () => void (await worker.end('SIGKILL')));
  await worker.says(/^ready/);
  return worker;
}

/** A fixed sequence, so that a failure can be repeated. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
