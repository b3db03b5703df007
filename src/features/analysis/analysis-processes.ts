import { createProcessPool, type PoolOptions, siblingModule } from '../../platform/processes/pool.ts';
import type { FailureCause } from '../../platform/processes/stopped.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import type { AnalysisTask, analysisWork } from './work.ts';

/** Five megabytes take half a minute on one core. The rest is for a busy machine. */
const TIMEOUT_MS = 10 * 60_000;

export type AnalysisProcesses = ReturnType<typeof createAnalysisProcesses>;

/** Analyses texts in separate processes, so that requests do not wait for it. */
export function createAnalysisProcesses({
  processes = 2,
  timeoutMs = TIMEOUT_MS,
  memoryMb = 1024,
  metrics,
}: Partial<Pick<PoolOptions, 'timeoutMs' | 'memoryMb' | 'metrics'>> & { processes?: number } = {}) {
  const pool = createProcessPool<typeof analysisWork>({
    entry: siblingModule(import.meta.url, 'analysis-worker'),
    size: processes,
    timeoutMs,
    memoryMb,
    resultMb: 64,
    explain,
    metrics,
  });
  return {
    readLayers: (task: AnalysisTask, signal?: AbortSignal) => pool.run('readLayers', task, { signal }),
    usage: pool.usage,
    close: () => pool.close(),
  };
}

const TROUBLE = {
  timeout: ['E_ANALYSIS_TIMEOUT', 'Analysing this text takes too long.'],
  memory: ['E_ANALYSIS_MEMORY', 'Analysing this text takes too much memory.'],
  output: ['E_ANALYSIS_FAILED', 'The analysis of this text is too large to store.'],
  failed: ['E_ANALYSIS_FAILED', 'Nexus could not analyse this text.'],
} as const;

/** Permanent failures: the text would fail again. The messages contain nothing of the text. */
function explain(trouble: FailureCause, cause: Error): PermanentError {
  const [code, message] = TROUBLE[trouble];
  return new PermanentError(code, message, { cause });
}
