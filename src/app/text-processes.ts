import { NexusError } from '../contract/errors.ts';
import { runByCost } from '../platform/processes/by-cost.ts';
import { createProcessPool, type PoolOptions, siblingModule } from '../platform/processes/pool.ts';
import type { FailureCause } from '../platform/processes/stopped.ts';
import { type TextWork, textWork } from './text-work.ts';

const RESULT_MB = 64;

/** Child processes for tasks on long texts. Comparing ten million characters takes seconds; the limits allow for more. */
export function createTextProcesses(metrics?: PoolOptions['metrics']) {
  const pool = createProcessPool<TextWork>({
    entry: siblingModule(import.meta.url, 'text-worker'),
    size: 2,
    maxWaiting: 16,
    timeoutMs: 30_000,
    memoryMb: 1024,
    resultMb: RESULT_MB,
    explain,
    metrics,
  });
  return { run: runByCost(textWork, pool), usage: pool.usage, close: pool.close };
}

const TROUBLE = {
  timeout: 'The text takes too long to work on. Ask for less of it.',
  memory: 'The text takes too much memory to work on. Ask for less of it.',
  output: `The answer would be larger than ${RESULT_MB} MB. Ask for less of it.`,
};

function explain(trouble: FailureCause, cause: Error): Error {
  return trouble === 'failed' ? cause : new NexusError('E_TEXT_TOO_COSTLY', TROUBLE[trouble], { cause });
}
