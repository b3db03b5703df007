import { expect, test } from 'vitest';
import { checkImage, LARGEST_IMAGE, sniffImage } from './image.ts';

const bytes = (text: string) => Buffer.from(text.padEnd(40, '\0'), 'latin1');

test.each([
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['\0\0\0\x1cftypavif', 'image/avif'],
  ['\0\0\0\x1cftypavis', 'image/avif'],
  ['BM', 'image/bmp'],
  ['\0\0\x01\0\x01\0', 'image/x-icon'],
])('%j is %s', (start, type) => {
  expect(checkImage(bytes(start))).toBe(type);
});

test.each([
  ['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['<?xml version="1.0"?><svg/>'],
  ['<!doctype html><script>'],
  ['GIF8'],
  ['RIFF\x10\0\0\0WAVE'],
  ['%PDF-1.7'],
  ['\0\0\0\x1cftypmp42'],
  [''],
])('%j is refused', (start) => {
  const given = start === '' ? Buffer.alloc(0) : bytes(start);
  expect(sniffImage(given)).toBeUndefined();
  expect(() => checkImage(given)).toThrow(expect.objectContaining({ code: 'E_IMAGE_INVALID' }));
});

test('an image may have up to ten megabytes', () => {
  const image = Buffer.alloc(LARGEST_IMAGE, 0);
  image.write('\xff\xd8\xff', 'latin1');
  expect(checkImage(image)).toBe('image/jpeg');
  expect(() => checkImage(Buffer.concat([image, Buffer.alloc(1)]))).toThrow('larger than 10 MB');
});
