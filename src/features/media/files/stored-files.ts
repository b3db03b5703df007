import type { Storage } from '../../../platform/storage/storage.ts';

/** Deletes all files of a media. Files that a crash leaves behind are found by the sweep of orphaned files. */
export async function deleteFilesOf(
  storage: Pick<Storage, 'list' | 'delete'>,
  mediaId: string,
): Promise<void> {
  await deleteFiles(storage, `media/${mediaId}`);
}

export async function deleteFiles(storage: Pick<Storage, 'list' | 'delete'>, folder: string): Promise<void> {
  for await (const { path } of storage.list(`${folder}/`)) await storage.delete(path);
}
