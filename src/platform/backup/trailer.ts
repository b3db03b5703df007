import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { DIGEST_NAME } from './format.ts';

const BLOCK = 512;
/** The header of the last entry, its content with padding, and the two empty blocks that end a tar file. */
export const TRAILER_BYTES = 4 * BLOCK;
/** The end of a tar file. */
export const END_BYTES = 2 * BLOCK;

/** Returns the last bytes of a backup: the entry with the digest. Its header belongs to the bytes that are hashed. */
export async function makeTrailer(digest: string): Promise<{ header: Buffer; bytes: Buffer }> {
  const tar = pack();
  tar.entry({ name: DIGEST_NAME, mode: 0o600, mtime: new Date(0) }, digest);
  tar.finalize();
  const bytes = await buffer(tar);
  return { header: bytes.subarray(0, BLOCK), bytes };
}

/** Returns the digest in a trailer; undefined when the bytes are none. */
export async function readTrailer(bytes: Buffer): Promise<string | undefined> {
  const digest = bytes.subarray(BLOCK, BLOCK + 64).toString('latin1');
  if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
  return (await makeTrailer(digest)).bytes.equals(bytes) ? digest : undefined;
}
