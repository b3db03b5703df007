import type { Storage, StoredFile } from './storage.ts';

/** Which of these paths something refers to. */
export type KnownAmong = (paths: string[]) => Promise<Iterable<string>>;

export interface OrphanOptions {
  prefix?: string;
  /** Younger files are left alone: what refers to them may not have been committed yet. */
  olderThan: Date;
  /** How many paths are asked about at once. */
  batchSize?: number;
}

/** Files that nothing refers to. */
export async function* findOrphans(
  storage: Pick<Storage, 'list'>,
  knownAmong: KnownAmong,
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
