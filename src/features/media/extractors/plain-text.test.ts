import { expect, test } from 'vitest';
import { readPlainText } from './plain-text.ts';

const htmlOf = (...blocks: string[]) => readPlainText(['A title', ...blocks].join('\n\n')).html;

test('the lines of a wrapped paragraph are joined, and its characters are kept', () => {
  const text =
    'The header <stdio.h> was written by Ann <a@b.org>, who\nalso wrote most of the other headers & their tests,\nin C.';
  expect(htmlOf(text, text)).toBe(
    '<p>The header &lt;stdio.h&gt; was written by Ann &lt;a@b.org&gt;, who also wrote most of the other headers &amp; their tests, in C.</p>'.repeat(
      2,
    ),
  );
});

test.each([
  [
    'short lines stay lines',
    'Tyger Tyger, burning bright,\nIn the forests of the night;',
    '<p>Tyger Tyger, burning bright,<br>In the forests of the night;</p>',
  ],
  [
    'so do the items of a list',
    '- an item that is rather long and fills its line\n- another item',
    '<p>- an item that is rather long and fills its line<br>- another item</p>',
  ],
  [
    'indented lines are code',
    '    if (a < b)\n      return a;',
    '<pre>    if (a &lt; b)\n      return a;</pre>',
  ],
  ['tabs are an indentation, too', 'all:\n\tcc main.c', '<pre>all:\n\tcc main.c</pre>'],
  ['columns are kept', 'one     1\ntwo     2', '<pre>one     1\ntwo     2</pre>'],
  [
    'an indented paragraph is a paragraph',
    '   o  The key words in this document are to be read\n      as described in another document.',
    '<p>o  The key words in this document are to be read as described in another document.</p>',
  ],
  [
    'lines that nobody wrapped are paragraphs',
    `${'word '.repeat(40)}\nThe end.`,
    `<p>${'word '.repeat(40).trim()}</p><p>The end.</p>`,
  ],
  ['a form feed separates pages', 'One\n\fTwo', '<p>One</p><p>Two</p>'],
])('%s', (_what, text, html) => {
  expect(htmlOf(text)).toBe(html);
});

test.each([
  ['the first line', 'A note\r\n\r\nIts text.', 'A note', '<p>Its text.</p>'],
  ['a heading in Markdown', '# Nexus #1\n\nIts text.', 'Nexus #1', '<p>Its text.</p>'],
  [
    'the first line below the columns of an RFC',
    'Network Working Group          S. Bradner\nCategory: BCP\n\n\n        Key words for use in RFCs\n\nAbstract',
    'Key words for use in RFCs',
    '<pre>Network Working Group          S. Bradner\nCategory: BCP</pre><p>Abstract</p>',
  ],
  ['the first line of a longer block', 'A note\n======', 'A note', '<p>A note<br>======</p>'],
  ['the only line', 'A note', 'A note', '<p>A note</p>'],
  [
    'the beginning of a long line, which stays in the text',
    `${'a'.repeat(200)}\n\nb`,
    `${'a'.repeat(119)}…`,
    `<p>${'a'.repeat(200)}</p><p>b</p>`,
  ],
  ['nothing', ' \n\n', null, ''],
])('the title is %s', (_what, text, title, html) => {
  expect(readPlainText(text)).toEqual({ title, html });
});

test('NUL, which the database does not store, is removed', () => {
  expect(readPlainText('a\0b')).toEqual({ title: 'ab', html: '<p>ab</p>' });
});
