import type { TokensAnswer, TokensRequest } from './code-worker.ts';

/** Code that takes longer than this stays plain. */
const MOST_MS = 3000;

let worker: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Parses code in a web worker, one block after another. Loads the worker, with its grammars, for the first one. */
export function parseCode(request: TokensRequest): Promise<TokensAnswer> {
  const answer = last.then(() => ask(request));
  last = answer;
  return answer;
}

function ask(request: TokensRequest): Promise<TokensAnswer> {
  worker ??= new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' });
  const asked = worker;
  return new Promise((resolve) => {
    const giveUp = () => {
      asked.terminate();
      if (worker === asked) worker = undefined;
      resolve(undefined);
    };
    const timer = setTimeout(giveUp, MOST_MS);
    asked.onmessage = ({ data }: MessageEvent<TokensAnswer>) => {
      clearTimeout(timer);
      resolve(data);
    };
    asked.onerror = () => {
      clearTimeout(timer);
      giveUp();
    };
    asked.postMessage(request);
  });
}
