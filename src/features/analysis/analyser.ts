import { moduleBeside } from '../../platform/processes/module-beside.ts';
import { createProcessPool } from '../../platform/processes/pool.ts';
import type { TaskTrouble } from '../../platform/processes/stopped.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import type { AnalysisResult, AnalysisTask, analysisWork } from './work.ts';

export interface AnalyserOptions {
  /** The most processes. */
  processes?: number;
  timeoutMs?: number;
  memoryMb?: number;
}

/** Analyses texts in processes of their own, so that no request waits for it. */
export interface Analyser {
  analyse(task: AnalysisTask, signal?: AbortSignal): Promise<AnalysisResult>;
  close(): Promise<void>;
}

/** Five megabytes take half a minute on one core; this allows for a busy machine. */
const TIMEOUT_MS = 10 * 60_000;

export function createAnalyser(options: AnalyserOptions = {}): Analyser {
  const { processes = 2, timeoutMs = TIMEOUT_MS, memoryMb = 1024 } = options;
  const pool = createProcessPool<typeof analysisWork>({
    entry: moduleBeside(import.meta.url, 'worker'),
    size: processes,
    timeoutMs,
    memoryMb,
    resultMb: 64,
    explain,
  });
  return {
    analyse: (task, signal) => pool.run('analyse', task, { signal }),
    close: () => pool.close(),
  };
}

const TROUBLE = {
  timeout: ['E_ANALYSIS_TIMEOUT', 'The text takes too long to analyse.'],
  memory: ['E_ANALYSIS_MEMORY', 'The text takes too much memory to analyse.'],
  output: ['E_ANALYSIS_FAILED', 'The analysis of this text is larger than Nexus keeps.'],
  failed: ['E_ANALYSIS_FAILED', 'Nexus could not make sense of this text.'],
} as const;

/** Permanent failures: the text would fail the same way again. None of the sentences says anything about the text. */
function explain(trouble: TaskTrouble, cause: Error): PermanentError {
  const [code, message] = TROUBLE[trouble];
  return new PermanentError(code, message, { cause });
}
