import { type Content, type PutOptions, UnexpectedSize } from './storage.ts';

/** The content in chunks, which fails when it is not of the size that it should be, or nobody wants it any more. */
export async function* measured(
  path: string,
  content: Content,
  options: PutOptions,
): AsyncGenerator<Uint8Array> {
  const { size, maxSize = Number.POSITIVE_INFINITY, signal } = options;
  const most = Math.min(size ?? Number.POSITIVE_INFINITY, maxSize);
  let seen = 0;
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    signal?.throwIfAborted();
    seen += chunk.length;
    if (seen > most) throw new UnexpectedSize(path, `larger than ${most} bytes`);
    yield chunk;
  }
  signal?.throwIfAborted();
  if (size !== undefined && seen < size) throw new UnexpectedSize(path, `${seen} bytes, not ${size}`);
}
