import { createProcessPool, type PoolOptions, siblingModule } from '../../platform/processes/pool.ts';
import type { GraphSource, projectionWork } from './work.ts';

/** The version of the projection. Change it whenever the entities or links that are found change. */
export const PROJECTOR = 'wink-eng-lite-web-model@1.8.1/1';

export type Projector = ReturnType<typeof createProjector>;

/** Projects documents in a process, because a book takes seconds. The process starts with the first document. */
export function createProjector({
  processes = 1,
  timeoutMs = 120_000,
  memoryMb = 1024,
  metrics,
}: Partial<Pick<PoolOptions, 'timeoutMs' | 'memoryMb' | 'metrics'>> & { processes?: number } = {}) {
  const pool = createProcessPool<typeof projectionWork>({
    entry: siblingModule(import.meta.url, 'graph-worker'),
    size: processes,
    timeoutMs,
    memoryMb,
    resultMb: 64,
    metrics,
  });
  return {
    project: (sources: GraphSource[], signal?: AbortSignal) => pool.run('project', sources, { signal }),
    usage: pool.usage,
    close: () => pool.close(),
  };
}
