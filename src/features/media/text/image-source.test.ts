import { expect, test } from 'vitest';
import { imageSource } from './image-source.ts';
import { type Element, isElement, parseMarkup } from './markup.ts';

function sourceIn(html: string): string | undefined {
  const [first] = parseMarkup(html).filter(isElement);
  if (!first) return undefined;
  const image = first.tagName === 'img' ? first : first.childNodes.filter(isElement).at(-1);
  return imageSource(image as Element, first.tagName === 'img' ? undefined : first);
}

test.each([
  ['<img src="a.jpg">', 'a.jpg'],
  ['<img src="data:image/gif;base64,R0l" data-src="real.jpg">', 'real.jpg'],
  ['<img src="blank.gif" data-original=" real.jpg ">', 'real.jpg'],
  ['<img src="s.jpg" srcset="s.jpg 400w, m.jpg 800w, l.jpg 1600w, xl.jpg 3200w">', 'l.jpg'],
  ['<img src="s.jpg" srcset="huge.jpg 4000w, giant.jpg 8000w">', 'huge.jpg'],
  ['<img src="s.jpg" srcset="a.jpg, b.jpg 2x, c.jpg 3x">', 'b.jpg'],
  [
    '<img srcset="https://i.example/w_400,h_300/a.jpg 400w,https://i.example/w_900,h_600/b.jpg 900w">',
    'https://i.example/w_900,h_600/b.jpg',
  ],
  ['<img srcset="a.jpg 400w 300h, b.jpg 900w 600h">', 'b.jpg'],
  ['<img srcset="a.jpg,, b.jpg 2x">', 'b.jpg'],
  ['<img src="s.jpg" srcset="data:image/gif;base64,R0lGOD 1w">', 's.jpg'],
  ['<img src="x.gif" data-srcset="lazy.jpg 800w" srcset="x.gif 1w">', 'lazy.jpg'],
  ['<picture><source srcset="p.webp 900w" type="image/webp"><img src="p.jpg"></picture>', 'p.webp'],
  ['<picture><source data-srcset="late.webp"><img></picture>', 'late.webp'],
  [
    '<picture><source media="(prefers-color-scheme: dark)" srcset="dark.png"><img src="light.png"></picture>',
    'light.png',
  ],
  [
    '<picture><source media="(prefers-color-scheme:light)" srcset="light.png"><img src="a.png"></picture>',
    'light.png',
  ],
  ['<picture><source media="print" srcset="print.png"><img src="a.png"></picture>', 'a.png'],
  ['<picture><source media="not print" srcset="b.png"><img src="a.png"></picture>', 'b.png'],
  [
    '<picture><source media="(prefers-reduced-motion: reduce)" srcset="still.png"><img src="a.gif"></picture>',
    'a.gif',
  ],
  ['<picture><source type="image/jxl" srcset="a.jxl"><img src="a.jpg"></picture>', 'a.jpg'],
  ['<picture><source type="image/svg+xml" srcset="a.svg"><img src="a.png"></picture>', 'a.png'],
  ['<picture><source type="image/JPG" srcset="b.jpg"><img src="a.jpg"></picture>', 'b.jpg'],
  ['<img alt="nothing">', undefined],
  [`<img src="a.jpg" srcset="${','.repeat(5)}">`, 'a.jpg'],
])('%s', (html, expected) => {
  expect(sourceIn(html)).toBe(expected);
});

test.each([
  ['one address', 'a'.repeat(1_000_000)],
  ['one address and a word', `${'a'.repeat(1_000_000)} b`],
  ['an address and commas', `a${','.repeat(1_000_000)}`],
  ['a long number', `a ${'1'.repeat(1_000_000)}`],
  ['words', 'a '.repeat(500_000)],
  ['commas', ','.repeat(1_000_000)],
  ['addresses', 'a.jpg 1w,'.repeat(100_000)],
])('a million characters of srcset take at most a second of CPU time: %s', (_what, set) => {
  const before = process.cpuUsage();
  sourceIn(`<img src="a.jpg" srcset="${set}">`);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
