import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { failureOf, useExtractors } from '../../../../test/support/extractors.ts';
import { makeGif, makePng, pngBomb } from '../../../../test/support/fixtures/images.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';

const extractors = useExtractors();
const thumbnails = (bytes: Uint8Array, content_type = 'image/png') =>
  extractors.thumbnails({ bytes, content_type });

async function made(bytes: Uint8Array, contentType?: string) {
  const files = (await thumbnails(bytes, contentType)) ?? expect.fail('there is no thumbnail');
  return { files, small: await decode(files.small), large: await decode(files.large) };
}

const decode = (bytes: Uint8Array) => loadImage(Buffer.from(bytes));

function pixel(image: Image, x: number, y: number): number[] {
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return [...context.getImageData(x, y, 1, 1).data];
}

/** Grows a file beyond the size up to which images are shown as they are. Decoders ignore bytes after the image. */
const padded = (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.alloc(200_000)]);

const photo = (() => {
  const canvas = createCanvas(1600, 900);
  const context = canvas.getContext('2d');
  context.fillStyle = 'rgb(200 30 30)';
  context.fillRect(0, 0, 1600, 900);
  context.fillStyle = 'rgb(30 30 200)';
  context.fillRect(800, 0, 800, 900);
  return canvas;
})();

describe('a thumbnail of an image', () => {
  test.each([
    ['image/png', () => photo.encode('png')],
    ['image/jpeg', () => photo.encode('jpeg', 90)],
    ['image/webp', () => photo.encode('webp', 90)],
    ['image/avif', () => photo.encode('avif', { speed: 10 })],
  ])('of type %s is a small WebP with its proportions and colours', async (contentType, encode) => {
    const { files, small, large } = await made(padded(await encode()), contentType);
    for (const file of [files.small, files.large])
      expect(Buffer.from(file.subarray(8, 12)).toString()).toBe('WEBP');
    expect([large.width, large.height]).toEqual([640, 360]);
    expect([small.width, small.height]).toEqual([160, 90]);
    const [red = 0, , blue = 0] = pixel(large, 100, 100);
    expect(red - blue).toBeGreaterThan(100);
    const [redOfRight = 0, , blueOfRight = 0] = pixel(small, 130, 50);
    expect(blueOfRight - redOfRight).toBeGreaterThan(100);
  });

  test('of a large photo takes a few tens of kilobytes', async () => {
    const noise = makePng({ width: 1200, height: 800, isNoise: true });
    const { files } = await made(noise);
    expect(noise.length).toBeGreaterThan(2_000_000);
    // Noise is the worst case: nothing compresses less.
    expect(files.large.length).toBeLessThan(150_000);
    expect(files.small.length).toBeLessThan(20_000);
  });

  test('is upright when the camera was not', async () => {
    const jpeg = await photo.encode('jpeg', 90);
    const turned = Buffer.from(
      'Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0',
      'latin1',
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(turned.length + 2);
    const app1 = Buffer.concat([Buffer.from([0xff, 0xe1]), length, turned]);
    const { large } = await made(
      padded(Buffer.concat([jpeg.subarray(0, 2), app1, jpeg.subarray(2)])),
      'image/jpeg',
    );
    expect([large.width, large.height]).toEqual([360, 640]);
  });

  test('keeps the first image of an animation', async () => {
    const { large } = await made(makeGif(), 'image/gif');
    expect(pixel(large, 0, 0)).toEqual([0, 0, 0, 255]);
  });

  test('is never larger than the image, and extreme proportions keep a pixel', async () => {
    const { large: narrow } = await made(padded(makePng({ width: 4000, height: 2 })));
    expect([narrow.width, narrow.height]).toEqual([640, 1]);
    const { large: little } = await made(padded(makePng({ width: 20, height: 10 })));
    expect([little.width, little.height]).toEqual([20, 10]);
  });

  test('is not made of an image that is small already', async () => {
    expect(await thumbnails(makePng({ width: 100, height: 100 }))).toBeNull();
    expect(
      await thumbnails(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'),
    ).toBeNull();
  });
});

describe('a drawing', () => {
  const svg = (attributes: string, content: string) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}` +
        `<!--${'.'.repeat(110_000)}--></svg>`,
    );

  test('that is a large file is drawn at the size of the thumbnail', async () => {
    const rect = '<rect width="1000" height="500" fill="rgb(0 128 0)"/>';
    const { large } = await made(svg('viewBox="0 0 1000 500"', rect), 'image/svg+xml');
    expect([large.width, large.height]).toEqual([640, 320]);
    expect(pixel(large, 320, 160)).toEqual([0, 128, 0, 255].map((value) => expect.closeTo(value, -1)));
  });

  test('runs no script and reads no file', async () => {
    const target = new URL('../../../../docs/screenshots/', import.meta.url).href;
    const hostile = `<script>while (true) {}</script><rect width="100" height="100" fill="white"/>
      <image href="${target}library-desktop-light.jpg" xlink:href="${target}library-desktop-light.jpg" width="100" height="100"/>
      <image href="http://127.0.0.1:9/x.png" xlink:href="http://127.0.0.1:9/x.png" width="100" height="100"/>`;
    const { large } = await made(svg('width="100" height="100"', hostile), 'image/svg+xml');
    expect(pixel(large, 50, 50)).toEqual([255, 255, 255, 255]);
  });

  test('with an absurd size is refused', async () => {
    expect(await failureOf(thumbnails(svg('width="1e9" height="1e9"', ''), 'image/svg+xml'))).toMatchObject({
      code: 'E_IMAGE_INVALID',
    });
  });
});

describe('a hostile image costs nothing but its thumbnail', () => {
  test.each([
    ['900 million pixels', pngBomb(30_000, 30_000), 'The image has too many pixels.'],
    ['more pixels than a number holds', pngBomb(0xffffffff, 0xffffffff), 'The image has too many pixels.'],
    ['no pixels', pngBomb(0, 0), 'The image is damaged.'],
    ['another type', padded(Buffer.from('<html><script>alert(1)</script>')), 'The image is damaged.'],
    ['only its first bytes', padded(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')), 'The image is damaged.'],
  ])('%s', async (_what, bytes, message) => {
    expect(await failureOf(thumbnails(bytes))).toMatchObject({ code: 'E_IMAGE_INVALID', message });
  });

  test('a truncated image is shown as far as it goes', async () => {
    const cut = makePng({ width: 800, height: 600, isNoise: true }).subarray(0, 200_000);
    const { large } = await made(cut);
    expect([large.width, large.height]).toEqual([640, 480]);
    expect(pixel(large, 320, 10)[3]).toBe(255);
    expect(pixel(large, 320, 470)[3]).toBe(0);
  });

  test('a header that lies about its size gets no more memory than it states', async () => {
    const lies = padded(makePng({ width: 100, height: 100, stated: { width: 7000, height: 7000 } }));
    expect((await made(lies)).large.width).toBe(640);
  });
});

describe('the first page of a PDF', () => {
  test('is its thumbnail, on white paper', async () => {
    const pdf = makePdf({ pages: [['Hello, reader.', 'This is the first page.'], ['And this the second.']] });
    const { small, large } = await made(pdf, 'application/pdf');
    expect([large.width, large.height]).toEqual([452, 640]);
    expect([small.width, small.height]).toEqual([113, 160]);
    expect(pixel(large, 5, 5)).toEqual([255, 255, 255, 255]);
  });

  test('is drawn after texts were extracted in the same process', async () => {
    const pdf = makePdf();
    expect((await extractors.pdf({ bytes: pdf })).plain_text).toBe('Hello, reader.');
    await made(pdf, 'application/pdf');
    expect((await extractors.pdf({ bytes: pdf })).plain_text).toBe('Hello, reader.');
  });

  test('of a damaged file is refused', async () => {
    expect(await failureOf(thumbnails(Buffer.from('%PDF-1.7\nnothing'), 'application/pdf'))).toMatchObject({
      code: 'E_PDF_INVALID',
    });
  });
});
