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
  ['<img src="s.jpg" srcset="data:image/gif;base64,R0lGOD 1w">', 's.jpg'],
  ['<img src="x.gif" data-srcset="lazy.jpg 800w" srcset="x.gif 1w">', 'lazy.jpg'],
  ['<picture><source srcset="p.webp 900w" type="image/webp"><img src="p.jpg"></picture>', 'p.webp'],
  ['<picture><source data-srcset="late.webp"><img></picture>', 'late.webp'],
  ['<img alt="nothing">', undefined],
  [`<img src="a.jpg" srcset="${','.repeat(5)}">`, 'a.jpg'],
])('%s', (html, expected) => {
  expect(sourceIn(html)).toBe(expected);
});

test('a million characters of srcset take at most a second of CPU time', () => {
  const before = process.cpuUsage();
  for (const set of ['a '.repeat(500_000), ','.repeat(1_000_000), 'a.jpg 1w,'.repeat(100_000)])
    sourceIn(`<img src="a.jpg" srcset="${set}">`);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
