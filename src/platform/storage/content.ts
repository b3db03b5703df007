import { type Content, type PutOptions, UnexpectedSize } from './storage.ts';

/** Yields the content in chunks. Throws when its size is not as expected, or when the signal is aborted. */
export async function* checkedContent(
  path: string,
  content: Content,
  options: PutOptions,
): AsyncGenerator<Uint8Array> {
  const { size, maxSize = Number.POSITIVE_INFINITY, signal } = options;
  const limit = Math.min(size ?? Number.POSITIVE_INFINITY, maxSize);
  let seen = 0;
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    signal?.throwIfAborted();
    seen += chunk.length;
    if (seen > limit) throw new UnexpectedSize(path, `larger than ${limit} bytes`);
    yield chunk;
  }
  signal?.throwIfAborted();
  if (size !== undefined && seen < size) throw new UnexpectedSize(path, `${seen} bytes, not ${size}`);
}
