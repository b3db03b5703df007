import { expect, test } from 'vitest';
import { asHtml } from './xml.ts';

test.each([
  [
    '<pre><![CDATA[if (a < b && c) return <T/>;]]></pre>',
    '<pre>if (a &lt; b &amp;&amp; c) return &lt;T/&gt;;</pre>',
  ],
  ['<p><![CDATA[a]]> and <![CDATA[<b>]]></p>', '<p>a and &lt;b&gt;</p>'],
  ['<p><![CDATA[never closed', '<p>never closed'],
  ['<style><![CDATA[a > b {}]]></style>', '<style><![CDATA[a > b {}]]></style>'],
  ['<script src="a.js"/><p><![CDATA[<b>]]></p>', '<script src="a.js"></script><p>&lt;b&gt;</p>'],
  ['<!-- <![CDATA[ --><p>a</p><!-- ]]> -->', '<!-- <![CDATA[ --><p>a</p><!-- ]]> -->'],
])('the text of CDATA is text in HTML, outside of scripts, styles and comments: %s', (xhtml, html) => {
  expect(asHtml(xhtml)).toBe(html);
});

test('a megabyte that never ends takes at most a second of CPU time', () => {
  for (const start of ['<!--', '<![CDATA[', '<script', '<script>', '<style a="', '<script/']) {
    const before = process.cpuUsage();
    asHtml(start.repeat(100_000));
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  }
});
