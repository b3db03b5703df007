import { createWorkerQueue } from '../ui/worker-queue.ts';
import type { TokensAnswer, TokensRequest } from './code-worker.ts';

/** Code that takes longer than this stays plain. */
const MOST_MS = 3000;

/** Parses code in a web worker. Loads the worker, with its grammars, for the first block. */
export const parseCode = createWorkerQueue<TokensRequest, TokensAnswer>(
  () => new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' }),
  MOST_MS,
);
