import { openLocalStorage } from './local.ts';
import type { Storage, StorageOptions } from './storage.ts';

export async function openStorage(options: StorageOptions): Promise<Storage> {
  if (options.kind === 'local') return openLocalStorage(options.directory);
  // Loaded on demand, because the S3 client takes a quarter of a second to load.
  const { openS3Storage } = await import('./s3.ts');
  return openS3Storage(options);
}

/** Returns a storage that opens on first use, so that commands without files need no access to it. */
export function storageOnDemand(options: StorageOptions): Storage & { open(): Promise<void> } {
  let opening: Promise<Storage> | undefined;
  const opened = () => {
    opening ??= openStorage(options);
    return opening;
  };
  return {
    async open() {
      await opened();
    },
    put: async (...given) => (await opened()).put(...given),
    get: async (...given) => (await opened()).get(...given),
    head: async (...given) => (await opened()).head(...given),
    move: async (...given) => (await opened()).move(...given),
    delete: async (...given) => (await opened()).delete(...given),
    async *list(prefix) {
      yield* (await opened()).list(prefix);
    },
    directUpload: async (...given) => (await opened()).directUpload(...given),
    uploadOrigin: async () => (await opened()).uploadOrigin(),
    close() {
      opening?.then(
        (storage) => storage.close(),
        // The caller of `open` knows the error.
        () => undefined,
      );
    },
  };
}
