import { createHash } from 'node:crypto';
import { Failure } from '../../../contract/errors.ts';

export const LARGEST_IMAGE = 10 * 1024 * 1024;

const starts =
  (text: string, offset = 0) =>
  (bytes: Uint8Array) =>
    Buffer.from(bytes.subarray(offset, offset + text.length)).toString('latin1') === text;

/** The first bytes of the formats that every browser shows. SVG is not among them: extractors sanitise it first. */
const FORMATS: [string, (bytes: Uint8Array) => boolean][] = [
  ['image/png', starts('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', starts('\xff\xd8\xff')],
  ['image/gif', (bytes) => starts('GIF87a')(bytes) || starts('GIF89a')(bytes)],
  ['image/webp', (bytes) => starts('RIFF')(bytes) && starts('WEBP', 8)(bytes)],
  ['image/avif', (bytes) => starts('ftypavif', 4)(bytes) || starts('ftypavis', 4)(bytes)],
  ['image/bmp', (bytes) => starts('BM')(bytes) && bytes.length > 26],
  ['image/x-icon', starts('\0\0\x01\0')],
];

export const IMAGE_TYPES = FORMATS.map(([contentType]) => contentType);

/** Detects the type of an image from its bytes. The server's content type is not trusted. */
export function sniffImage(bytes: Uint8Array): string | undefined {
  return FORMATS.find(([, matches]) => matches(bytes))?.[0];
}

/** Returns the content type to serve an image with. Throws when it must not be served. */
export function checkImage(bytes: Uint8Array): string {
  if (bytes.length > LARGEST_IMAGE) throw new Failure('E_IMAGE_INVALID', 'The image is larger than 10 MB.');
  const contentType = sniffImage(bytes);
  if (!contentType) throw new Failure('E_IMAGE_INVALID', 'The file is not an image of a supported format.');
  return contentType;
}

/** Whether a cover is an image of another site, and not an asset. */
export function isAddress(cover: string | null): cover is string {
  return cover !== null && /^https?:/.test(cover);
}

/** Returns the key of an image: the hash of its address, encoded as in the HTML that shows it. */
export function imageKey(encoded: string): string {
  return createHash('sha256').update(encoded).digest('hex');
}
