import { UnreadableFile } from './entry.ts';

export function decode(bytes: Uint8Array): string {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  if (!text.slice(0, 10_000).includes('\0')) return text;
  throw new UnreadableFile('This file contains no links. Choose a file that another program exported.');
}

/** UTF-8, or UTF-16 with a byte order mark or with a first character of ASCII. */
function encodingOf([first = 1, second = 1]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first > 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second > 0)) return 'utf-16be';
  return 'utf-8';
}
