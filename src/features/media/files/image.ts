import { Failure } from '../../../contract/errors.ts';

export const LARGEST_IMAGE = 10 * 1024 * 1024;

const starts =
  (text: string, offset = 0) =>
  (bytes: Uint8Array) =>
    Buffer.from(bytes.subarray(offset, offset + text.length)).toString('latin1') === text;

/** How the formats begin that every browser shows. SVG is a document that runs scripts, and is not among them. */
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

/** What kind of image this is, from its own bytes: what a server says of it is not to be trusted. */
export function sniffImage(bytes: Uint8Array): string | undefined {
  return FORMATS.find(([, matches]) => matches(bytes))?.[0];
}

/** The content type to serve an image under, or a failure when it must not be served. */
export function checkImage(bytes: Uint8Array): string {
  if (bytes.length > LARGEST_IMAGE) throw new Failure('E_IMAGE_INVALID', 'The image is larger than 10 MB.');
  const contentType = sniffImage(bytes);
  if (!contentType)
    throw new Failure('E_IMAGE_INVALID', 'The file is not an image that browsers show safely.');
  return contentType;
}
