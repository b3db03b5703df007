/** Small enough that writing a chunk takes no time, and large enough that there are few. */
const CHUNK_BYTES = 128 * 1024;

/** Splits bytes into chunks. One long write would block the event loop for as long as the reader keeps up. */
export function* inChunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}
