import type { ParseAnswer, ParseRequest } from './parse-worker.ts';
import type { ParsedImport } from './parsed-import.ts';

/** Parses an import in a web worker, so that many links do not freeze the page. */
export function parseInWorker(request: ParseRequest, signal: AbortSignal): Promise<ParsedImport> {
  const worker = new Worker(new URL('./parse-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<ParsedImport>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    worker.onmessage = ({ data }: MessageEvent<ParseAnswer>) => {
      if ('parsed' in data) resolve(data.parsed);
      else reject(new Error(data.message));
    };
    worker.onerror = () => reject(new Error('The file is too large for this browser. Export it in parts.'));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
