import { describe, expect, test } from 'vitest';
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
    '| a | b\\|c |\n| --- | --- |\n| 1 |',
  ],
  [
    '<p><img src="/media/images?url=https%3A%2F%2Fexample.org%2Fa%20b.png" alt="An image"></p>',
    '![An image](https://example.org/a%20b.png)',
  ],
  ['<p><img src="/media/x/assets/1.png" alt="A figure"></p>', 'A figure'],
  ['<p>It is <math alttext="πr^2"><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math>.</p>', 'It is πr^2.'],
  [
    '<p>1. not *a* list, [no](link), <b></b>_</p><p># no heading</p>',
    '1\\. not \\*a\\* list, \\[no\\](link), \\_\n\n\\# no heading',
  ],
  ['<p aria-hidden="true">hidden</p><p hidden>hidden</p>', ''],
  ['', ''],
])('%s', (html, markdown) => {
  expect(markdownOf(html)).toBe(markdown);
});

test('the head of a table is as wide as its widest row, and no other row is padded', () => {
  const rows = '<tr><td>1</td></tr>'.repeat(9000);
  const markdown = markdownOf(`<table>${rows}<tr>${'<td>2</td>'.repeat(9000)}</tr></table>`);
  expect(markdown.length).toBeLessThan(200_000);
  const [head = '', dashes = '', row] = markdown.split('\n');
  expect(head.match(/\|/g)).toHaveLength(9001);
  expect(dashes.match(/---/g)).toHaveLength(9000);
  expect(row).toBe('| 1 |');
});

describe('time is linear in the length of the page', { tags: 'slow' }, () => {
  test.each<[string, (size: number) => string]>([
    ['quotes and lists', (size) => `${'<blockquote><ul><li>'.repeat(size / 4)}text`],
    ['blocks with a paragraph each', (size) => '<div><p>x</p>'.repeat(size)],
    ['marks', (size) => `${'<b>a '.repeat(size / 20)}`],
    ['links around blocks', (size) => `${'<span>a<div>b'.repeat(size / 2)}`],
    ['headings', (size) => `${'<h1><div>a'.repeat(size / 4)}`],
    ['tables', (size) => `${'<table><tr><td>a'.repeat(size / 8)}`],
    ['rows', (size) => `<table>${'<tr><td>a'.repeat(size)}</table>`],
    ['backticks', (size) => `<pre>${'`a '.repeat(size)}</pre><code>${'`a '.repeat(size)}</code>`],
    ['spaces in code', (size) => `<code>a${' '.repeat(size)}b</code>`],
    ['spaces in marks', (size) => `<pre><b>a${' '.repeat(size)}b</b></pre>`],
  ])('%s', (_what, page) => {
    const timeOf = (size: number) => {
      // The time of the processor, which does not depend on what else the machine does.
      const begun = process.cpuUsage();
      markdownOf(page(size));
      return process.cpuUsage(begun).user / 1000;
    };
    timeOf(2000);
    const [small, large] = [Math.min(timeOf(10_000), timeOf(10_000)), timeOf(80_000)];
    // Eight times the length would take 64 times as long in quadratic time. Garbage collection adds some.
    expect(large).toBeLessThan(24 * small + 500);
  });
});

test('plain text is escaped and reads the same', () => {
  expect(plainMarkdown('# a\n*b*\n2) c')).toBe('\\# a\n\n\\*b\\*\n\n2\\) c');
});
