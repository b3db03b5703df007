import { WORKER_READY } from '../ui/worker-queue.ts';
import { type Token, tokensOf } from './code-tokens.ts';

export interface TokensRequest {
  language: string;
  code: string;
}
/** Undefined when the language is not known or the code cannot be parsed. */
export type TokensAnswer = Token[] | undefined;

function answer({ language, code }: TokensRequest): TokensAnswer {
  try {
    return tokensOf(language, code);
  } catch {
    // The parser fails on code that is nested too deep, for example. Such code stays plain.
    return undefined;
  }
}

self.onmessage = ({ data }: MessageEvent<TokensRequest>) => self.postMessage(answer(data));
self.postMessage(WORKER_READY);
