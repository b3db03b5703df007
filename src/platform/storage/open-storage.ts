import { openLocalStorage } from './local.ts';
import type { Storage, StorageOptions } from './storage.ts';

export async function openStorage(options: StorageOptions): Promise<Storage> {
  if (options.kind === 'local') return openLocalStorage(options.directory);
  // Amazon's client takes a quarter of a second to load, which nobody should pay who keeps files on disk.
  const { openS3Storage } = await import('./s3.ts');
  return openS3Storage(options);
}
