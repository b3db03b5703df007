import { createThreadPool } from '../../platform/threads/pool.ts';
import type { GraphSource, Projection } from './worker.ts';

export type { GraphSource, Projection } from './worker.ts';

/** What reads documents, by name: a change to what it finds is a change of this. */
export const PROJECTOR = 'wink-eng-lite-web-model@1.8.1/1';

export interface Projector {
  project(sources: GraphSource[], signal?: AbortSignal): Promise<Projection[]>;
  close(): Promise<void>;
}

/** Reading a book takes seconds, so it is done in a thread. The thread starts with the first document. */
export function createProjector({ threads = 1, timeoutMs = 120_000, memoryMb = 512 } = {}): Projector {
  const pool = createThreadPool<GraphSource[], Projection[]>({
    entry: workerEntry(),
    size: threads,
    timeoutMs,
    memoryMb,
  });
  return {
    project: (sources, signal) => pool.run(sources, { signal }),
    close: () => pool.close(),
  };
}

/** Beside this module, and in the language it is in itself: TypeScript as written, JavaScript as built. */
function workerEntry(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
}
