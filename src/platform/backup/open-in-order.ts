import { addAbortSignal } from 'node:stream';
import type { Storage } from '../storage/storage.ts';

type Stored = Awaited<ReturnType<Storage['get']>>;

/** How many files are opened ahead: an object store takes tens of milliseconds for each, however small it is. */
const AHEAD = 8;

/**
 * Opens files, some of them ahead, and yields them in order. `stored` is undefined for a file that does not exist. The
 * signal ends the wait for a file, and the reading of one, even if the storage does not answer.
 */
export async function* openInOrder(
  storage: Pick<Storage, 'get'>,
  paths: AsyncIterable<string>,
  signal?: AbortSignal,
): AsyncGenerator<{ path: string; stored: Stored }> {
  const waiting: { path: string; opening: Promise<Stored> }[] = [];
  try {
    for await (const path of paths) {
      const opening = storage.get(path);
      // Thrown below, when its turn comes.
      opening.catch(() => undefined);
      waiting.push({ path, opening });
      if (waiting.length > AHEAD) yield* next();
    }
    while (waiting.length > 0) yield* next();
  } finally {
    // Files that were opened ahead are not read. Not awaited, because the storage may never answer; one that could not be opened
    // needs no closing.
    for (const { opening } of waiting)
      opening.then((stored) => stored?.content.destroy()).catch(() => undefined);
  }

  async function* next() {
    const [first] = waiting;
    if (!first) return;
    const stored = await unlessAborted(first.opening, signal);
    waiting.shift();
    if (stored && signal) addAbortSignal(signal, stored.content);
    yield { path: first.path, stored };
  }
}

/** Like `Promise.race` with the signal, which would keep a reaction on the signal for every file. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
