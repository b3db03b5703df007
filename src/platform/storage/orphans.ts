import type { Storage, StoredFile } from './storage.ts';

interface OrphanOptions {
  prefix?: string;
  /** Newer files are skipped: the transaction that refers to them may not have committed yet. */
  olderThan: Date;
  /** The number of paths per call of `knownAmong`. */
  batchSize?: number;
}

/** Yields the files that nothing refers to. `knownAmong` returns those of the given paths that something refers to. */
export async function* findOrphans(
  storage: Pick<Storage, 'list'>,
  knownAmong: (paths: string[]) => Promise<Iterable<string>>,
  { prefix = '', olderThan, batchSize = 500 }: OrphanOptions,
): AsyncGenerator<StoredFile> {
  let batch: StoredFile[] = [];
  const orphansOf = async (files: StoredFile[]) => {
    const known = new Set(await knownAmong(files.map(({ path }) => path)));
    return files.filter(({ path }) => !known.has(path));
  };
  for await (const file of storage.list(prefix)) {
    if (file.modifiedAt >= olderThan) continue;
    batch.push(file);
    if (batch.length < batchSize) continue;
    yield* await orphansOf(batch);
    batch = [];
  }
  if (batch.length > 0) yield* await orphansOf(batch);
}
