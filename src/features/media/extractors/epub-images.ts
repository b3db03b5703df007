import { decodeText } from '../../../platform/egress/charset.ts';
import { LARGEST_IMAGE, sniffImage } from '../files/image.ts';
import { type Archive, unsafe } from './archive.ts';
import { hashName, readSvgFile, type SvgFile } from './drawings.ts';
import { asHtml, refuseEntities } from './xml.ts';

/** An SVG file starts with its root, after a document type and comments. */
const SVG_START = 10_000;

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
};

/** An image of a book. A bitmap has no words, and its size is left to the browser. */
export type BookImage = SvgFile;

/** Reads the images by path. Skips invalid and large files. */
export async function readImages(
  archive: Archive,
  paths: string[],
  maxBytes: number,
): Promise<Map<string, BookImage>> {
  const byPath = new Map<string, BookImage>();
  const byName = new Map<string, BookImage>();
  let total = 0;
  for (const path of paths) {
    const bytes = await archive.read(path);
    const image = bytes && bytes.length <= LARGEST_IMAGE ? readImage(bytes) : undefined;
    if (!image) continue;
    total += image.asset.bytes.length;
    if (total > maxBytes) throw unsafe('is too large when decompressed');
    const known = byName.get(image.asset.name) ?? image;
    byName.set(image.asset.name, known);
    byPath.set(path, known);
  }
  return byPath;
}

/** Reads an image. Files are named by their hash, so that duplicates are stored once. */
function readImage(bytes: Buffer): BookImage | undefined {
  const type = sniffImage(bytes);
  const extension = type && EXTENSIONS[type];
  if (extension) {
    const name = `${hashName(bytes)}.${extension}`;
    const asset = { name, content_type: type, bytes: new Uint8Array(bytes) };
    return { asset, alt: '', words: '', width: undefined, height: undefined };
  }
  const { text } = decodeText(bytes, undefined);
  if (!/<(svg:)?svg\b/i.test(text.slice(0, SVG_START))) return undefined;
  refuseEntities(text);
  return readSvgFile(asHtml(text));
}
