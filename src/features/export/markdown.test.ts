import { expect, test } from 'vitest';
import { markdownOf, plainMarkdown } from './markdown.ts';

test.each([
  ['<h1>A  title</h1><p>One <em>two</em> <strong>three</strong>.</p>', '# A title\n\nOne *two* **three**.'],
  ['<p>one</p>loose<b> two </b><p>three</p>', 'one\n\nloose **two**\n\nthree'],
  ['<p>line<br>break</p>', 'line  \nbreak'],
  ['<p><a href="https://example.org/a(b)">x</a></p>', '[x](https://example.org/a%28b%29)'],
  ['<p><a href="javascript:x">x</a></p>', 'x'],
  ['<a href="https://example.org/"><h2>A linked heading</h2></a>', '## A linked heading'],
  ['<ul><li>a</li><li><p>b</p><ol><li>c</li><li>d</li></ol></li></ul>', '- a\n- b\n\n  1. c\n  2. d'],
  ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n> \n> b'],
  ['<pre><code>if (a) {\n  *b*\n}\n</code></pre>', '```\nif (a) {\n  *b*\n}\n```'],
  ['<p><code>a`b</code></p>', '``a`b``'],
  [
    '<table><thead><tr><th>a</th><th>b|c</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>',
    '| a | b\\|c |\n| --- | --- |\n| 1 |  |',
  ],
  [
    '<p><img src="/media/images?url=https%3A%2F%2Fexample.org%2Fa%20b.png" alt="An image"></p>',
    '![An image](https://example.org/a%20b.png)',
  ],
  ['<p><img src="/media/x/assets/1.png" alt="A figure"></p>', 'A figure'],
  [
    '<p>1. not *a* list, [no](link), <b></b>_</p><p># no heading</p>',
    '1\\. not \\*a\\* list, \\[no\\](link), \\_\n\n\\# no heading',
  ],
  ['<p aria-hidden="true">hidden</p><p hidden>hidden</p>', ''],
  ['', ''],
])('%s', (html, markdown) => {
  expect(markdownOf(html)).toBe(markdown);
});

test('what is nested without end is written, and soon', () => {
  const deep = `${'<blockquote><ul><li>'.repeat(20_000)}text`;
  const begun = performance.now();
  expect(markdownOf(deep)).toContain('text');
  expect(performance.now() - begun).toBeLessThan(5000);
});

test('plain text stays what it says', () => {
  expect(plainMarkdown('# a\n*b*\n2) c')).toBe('\\# a\n\n\\*b\\*\n\n2\\) c');
});
