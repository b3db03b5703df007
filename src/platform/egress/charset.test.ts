import { expect, test } from 'vitest';
import { decodeText } from './charset.ts';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );

const PRIVET_1251 = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2];
const KONNICHIWA_SJIS = [0x82, 0xb1, 0x82, 0xf1, 0x82, 0xc9, 0x82, 0xbf, 0x82, 0xcd];
const NIHAO_GB = [0xc4, 0xe3, 0xba, 0xc3];
const LONG_SCRIPT = `<script>${'x'.repeat(1500)}</script>`;

test.each([
  [
    'a byte order mark of UTF-8',
    bytes([0xef, 0xbb, 0xbf], [0xc3, 0xa9]),
    'text/html; charset=latin1',
    'é',
    'utf-8',
  ],
  [
    'a byte order mark of UTF-16, little-endian',
    bytes([0xff, 0xfe, 0x16, 0x04]),
    'text/html',
    'Ж',
    'utf-16le',
  ],
  ['a byte order mark of UTF-16, big-endian', bytes([0xfe, 0xff, 0x04, 0x16]), undefined, 'Ж', 'utf-16be'],
  ['the header', bytes(PRIVET_1251), 'text/html; charset=windows-1251', 'Привет', 'windows-1251'],
  ['the header, quoted', bytes(NIHAO_GB), 'text/html;charset="GB2312"', '你好', 'gbk'],
  [
    'the header over the page',
    bytes('<meta charset=utf-8>', KONNICHIWA_SJIS),
    'text/html; charset=shift_jis',
    '<meta charset=utf-8>こんにちは',
    'shift_jis',
  ],
  [
    'the page',
    bytes('<meta charset="shift_jis">', KONNICHIWA_SJIS),
    'text/html',
    '<meta charset="shift_jis">こんにちは',
    'shift_jis',
  ],
  [
    'the page, with http-equiv',
    bytes('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', [0xf0]),
    'text/html',
    '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">П',
    'koi8-r',
  ],
  [
    'the XML declaration',
    bytes('<?xml version="1.0" encoding="iso-8859-2"?>', [0xb1]),
    undefined,
    '<?xml version="1.0" encoding="iso-8859-2"?>ą',
    'iso-8859-2',
  ],
  ['nothing, for valid UTF-8', bytes([0xe4, 0xbd, 0xa0]), 'text/html', '你', 'utf-8'],
  ['nothing, for invalid UTF-8', bytes('caf', [0xe9]), 'text/html', 'café', 'windows-1252'],
  [
    'nothing, when the header names an unknown encoding',
    bytes('caf', [0xe9]),
    'text/html; charset=klingon',
    'café',
    'windows-1252',
  ],
  [
    'nothing, when the page cannot have the encoding that it declares',
    bytes('<meta charset=utf-16>', [0xc3, 0xa9]),
    undefined,
    '<meta charset=utf-16>é',
    'utf-8',
  ],
  [
    'the page, also after its first kilobyte',
    bytes(LONG_SCRIPT, '<meta charset=windows-1251>', PRIVET_1251),
    'text/html',
    `${LONG_SCRIPT}<meta charset=windows-1251>Привет`,
    'windows-1251',
  ],
  [
    'nothing, for valid UTF-8 with another encoding after its first kilobyte',
    bytes(LONG_SCRIPT, '<meta charset=windows-1251>', [0xc3, 0xa9]),
    'text/html',
    `${LONG_SCRIPT}<meta charset=windows-1251>é`,
    'utf-8',
  ],
  [
    'the page without its comments',
    bytes('<!-- <meta charset=koi8-r> --><meta charset=windows-1251>', PRIVET_1251),
    'text/html',
    '<!-- <meta charset=koi8-r> --><meta charset=windows-1251>Привет',
    'windows-1251',
  ],
])('the encoding is taken from %s', (_from, given, contentType, text, charset) => {
  expect(decodeText(given, contentType)).toEqual({ text, charset });
});

test('bytes that are invalid in the declared encoding become replacement characters', () => {
  expect(decodeText(bytes('a', [0xff], 'b'), 'text/html; charset=utf-8').text).toBe('a\ufffdb');
});

test('Windows-1252 has quotes, dashes and the euro sign where Latin-1 has control characters', () => {
  const all = Array.from({ length: 32 }, (_, index) => 0x80 + index);
  expect(decodeText(bytes(all), 'text/plain; charset=iso-8859-1').text).toBe(
    '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ',
  );
});

test('a declaration without an end takes at most a second of CPU time', () => {
  const before = process.cpuUsage();
  for (const open of ['<meta ', '<!--', 'charset ', '<meta charset='])
    decodeText(bytes('<meta charset=', ' '.repeat(20_000), open.repeat(10_000), [0xff]), 'text/html');
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
