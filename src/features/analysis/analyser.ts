import { PermanentError } from '../../platform/jobs/retry-policy.ts';
import { createThreadPool, TaskFailed, ThreadStopped } from '../../platform/threads/pool.ts';
import type { AnalysisResult, AnalysisTask } from './worker.ts';

export interface AnalyserOptions {
  /** Threads at most. */
  threads?: number;
  timeoutMs?: number;
  memoryMb?: number;
}

/** Reads texts in threads, so that nobody else waits for it. */
export interface Analyser {
  analyse(task: AnalysisTask, signal?: AbortSignal): Promise<AnalysisResult>;
  close(): Promise<void>;
}

/** Five megabytes take half a minute on one core; this is for a machine that is busy, too. */
const TIMEOUT_MS = 10 * 60_000;

export function createAnalyser(options: AnalyserOptions = {}): Analyser {
  const { threads = 2, timeoutMs = TIMEOUT_MS, memoryMb = 512 } = options;
  const pool = createThreadPool<AnalysisTask, AnalysisResult>({
    entry: workerEntry(),
    size: threads,
    timeoutMs,
    memoryMb,
  });
  return {
    async analyse(task, signal) {
      try {
        return await pool.run(task, { signal });
      } catch (error) {
        throw signal?.aborted ? signal.reason : inWords(error);
      }
    },
    close: () => pool.close(),
  };
}

/** Beside this module, and in the language it is in itself: TypeScript as written, JavaScript as built. */
function workerEntry(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
}

/** The same text would end the same way another time. None of these sentences says anything of the text. */
function inWords(error: unknown): unknown {
  if (error instanceof TaskFailed) {
    return new PermanentError('E_ANALYSIS_FAILED', 'Nexus could not make sense of this text.', {
      cause: error,
    });
  }
  if (!(error instanceof ThreadStopped) || error.reason === 'closed') return error;
  if (error.reason === 'timeout') {
    return new PermanentError('E_ANALYSIS_TIMEOUT', 'The text takes too long to analyse.', { cause: error });
  }
  if (error.reason === 'memory') {
    return new PermanentError('E_ANALYSIS_MEMORY', 'The text takes too much memory to analyse.', {
      cause: error,
    });
  }
  return new PermanentError('E_ANALYSIS_FAILED', 'Nexus could not make sense of this text.', {
    cause: error,
  });
}
