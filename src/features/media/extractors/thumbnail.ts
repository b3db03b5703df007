import type { Canvas } from '@napi-rs/canvas';
import { imageSize } from 'image-size';
import { loadCanvas } from './canvas.ts';
import { ExtractionFailure } from './extraction.ts';
import { openDocument } from './pdf.ts';

/** The two sizes of a thumbnail, as WebP: for rows of lists, and for cards. */
export interface Thumbnails {
  small: Uint8Array;
  large: Uint8Array;
}

export interface ImageTask {
  bytes: Uint8Array;
  content_type: string;
}

/** The longest side in pixels. Rows show covers at 64 and cards at 152 CSS pixels, on screens with up to three times as many. */
const SIDES = { small: 160, large: 640 };
const QUALITY = { small: 70, large: 75 };

/** A decoded image of this size takes 200 MB, of 1 GB that the process may use. */
const MAX_PIXELS = 50_000_000;

/** Images of up to this many bytes are small enough to be shown as they are. */
const SMALL_BYTES = 30_000;
const SMALL_SVG_BYTES = 100_000;

const SVG = 'image/svg+xml';

/**
 * Makes the thumbnails of an image. Null when it needs none, or when this platform cannot draw.
 *
 * The library allocates memory for all pixels as soon as it gets the bytes, and aborts the process when it cannot, so the
 * size is read from the header first. A header that lies costs this process, and nothing else.
 */
export async function imageThumbnails({ bytes, content_type }: ImageTask): Promise<Thumbnails | null> {
  if (bytes.length <= (content_type === SVG ? SMALL_SVG_BYTES : SMALL_BYTES)) return null;
  const library = await loadCanvas();
  if (!library) return null;
  const stated = sizeOf(bytes);
  // Drawings have no pixels: they are decoded at the size of the thumbnail.
  const drawn = content_type === SVG ? scaled(stated, SIDES.large) : undefined;
  const image = drawn ? new library.Image(drawn.width, drawn.height) : new library.Image();
  image.src = bytes;
  await image.decode().catch(refuse);
  if (!(image.width > 0 && image.height > 0)) throw invalid();
  const { width, height } = scaled(image, SIDES.large);
  const canvas = library.createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  return encode(canvas, library);
}

/** Draws the first page of a PDF as thumbnails. Null when this platform cannot draw. */
export async function pdfThumbnails({ bytes }: Pick<ImageTask, 'bytes'>): Promise<Thumbnails | null> {
  const library = await loadCanvas();
  if (!library) return null;
  const document = await openDocument(bytes, { maxImageSize: MAX_PIXELS });
  const page = await document.getPage(1);
  const { width, height } = page.getViewport({ scale: 1 });
  if (!(width > 0 && height > 0)) throw invalid();
  const viewport = page.getViewport({ scale: SIDES.large / Math.max(width, height) });
  const canvas = library.createCanvas(Math.max(1, viewport.width), Math.max(1, viewport.height));
  await page.render({ canvas: canvas as never, viewport, background: '#ffffff' }).promise;
  return encode(canvas, library);
}

async function encode(
  large: Canvas,
  { createCanvas }: { createCanvas: (width: number, height: number) => Canvas },
) {
  const { width, height } = scaled(large, SIDES.small);
  const small = createCanvas(width, height);
  const context = small.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(large, 0, 0, width, height);
  return {
    small: new Uint8Array(await small.encode('webp', QUALITY.small)),
    large: new Uint8Array(await large.encode('webp', QUALITY.large)),
  };
}

interface Size {
  width: number;
  height: number;
}

function sizeOf(bytes: Uint8Array): Size {
  let size: Size;
  try {
    size = imageSize(bytes);
  } catch (error) {
    return refuse(error);
  }
  if (!(size.width > 0 && size.height > 0)) throw invalid();
  if (size.width * size.height > MAX_PIXELS)
    throw new ExtractionFailure('E_IMAGE_INVALID', 'The image has too many pixels.');
  return size;
}

/** Returns the size with the same proportions whose longest side has at most this many pixels. */
function scaled({ width, height }: Size, side: number): Size {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function refuse(cause: unknown): never {
  throw invalid(cause);
}

function invalid(cause?: unknown): ExtractionFailure {
  return new ExtractionFailure('E_IMAGE_INVALID', 'The image is damaged.', { cause });
}
