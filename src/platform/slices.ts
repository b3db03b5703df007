/** Small enough that writing one takes no time, and large enough that there are few. */
const SLICE = 128 * 1024;

/**
 * Long bytes in slices. A stream that is written to slice by slice, as fast as its reader takes them, lets other work in
 * between; one long write goes on for as long as the reader keeps up.
 */
export function* inSlices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += SLICE) yield bytes.subarray(start, start + SLICE);
}
