import type { Storage } from '../storage/storage.ts';

type Stored = Awaited<ReturnType<Storage['get']>>;

/** How many files are opened ahead: an object store takes tens of milliseconds for each, however small it is. */
const AHEAD = 8;

/** Opens files, some of them ahead, and yields them in order. `stored` is undefined for a file that does not exist. */
export async function* openInOrder(
  storage: Pick<Storage, 'get'>,
  paths: AsyncIterable<string>,
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
    for (const { opening } of waiting) (await opening.catch(() => undefined))?.content.destroy();
  }

  async function* next() {
    const first = waiting.shift();
    if (first) yield { path: first.path, stored: await first.opening };
  }
}
