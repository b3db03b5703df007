import { UnreadableFile } from './entry.ts';

const WANTED = /\.(csv|json)$/i;
const MAX_BYTES = 300 * 1024 * 1024;
const END = 0x06054b50;
const ENTRY = 0x02014b50;

export const isZip = (bytes: Uint8Array) =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/**
 * The tables and the JSON in an archive, one after the other. The pages that programs put beside them are full of links
 * that nobody saved.
 */
export async function* readZip(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  let left = MAX_BYTES;
  for (let n = 0; n < count; n++) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== ENTRY) throw broken();
    const method = view.getUint16(at + 10, true);
    const size = view.getUint32(at + 20, true);
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    const header = view.getUint32(at + 42, true);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (!WANTED.test(name) || name.startsWith('__MACOSX/')) continue;
    if (header + 30 > view.byteLength) throw broken();
    const begin = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    const content = await inflate(bytes.subarray(begin, begin + size), method, left);
    left -= content.byteLength;
    yield new TextDecoder().decode(content);
  }
}

/** It stands at the end, before a comment of any length. */
function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65_557); at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  throw broken();
}

async function inflate(bytes: Uint8Array<ArrayBuffer>, method: number, limit: number): Promise<Uint8Array> {
  if (method === 0) return bytes;
  if (method !== 8)
    throw new UnreadableFile(
      'The archive is packed in an unusual way. Unpack it, and choose the files in it.',
    );
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read().catch(() => {
      throw broken();
    });
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      throw new UnreadableFile('The archive holds more than 300 MB. Unpack it, and choose the files in it.');
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function broken(): UnreadableFile {
  return new UnreadableFile('The archive is damaged or cut off. Download it again.');
}
