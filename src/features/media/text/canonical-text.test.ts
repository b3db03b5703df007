import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalLine, canonicalText } from './canonical-text.ts';

test.each([
  ['<p>One</p><p>Two</p>', 'One\nTwo'],
  ['one<br>two<br/><br>three', 'one\ntwo\nthree'],
  ['<div><div><p>nested</p></div></div>', 'nested'],
  ['<p>in<b>li</b>ne <i>text</i></p>', 'inline text'],
  ['<ul><li>a</li><li>b</li></ul>', 'a\nb'],
  ['<table><tr><td>a</td><td>b</td></tr></table>', 'a\nb'],
  ['<p>  many \n\t spaces  </p>', 'many spaces'],
  ['<pre>a\n  b</pre>', 'a b'],
  ['a\u00a0b\u2003c\u3000d\u2028e\u0085f\u202fg', 'a b c d e f g'],
  ['<p>e\u0301</p>', '\u00e9'],
  ['<p>\u212b</p>', '\u00c5'],
  ['&amp;&lt;&nbsp;&copy;', '&< ©'],
  ['a<script>b</script>c<style>d</style>e', 'ace'],
  ['a<span hidden>b</span>c', 'ac'],
  ['a<span hidden="until-found">b</span>c', 'ac'],
  ['a<span aria-hidden="true">b<b>x</b></span>c', 'ac'],
  ['a<span aria-hidden="false">b</span>c', 'abc'],
  ['a<template>b</template><svg><text>c</text></svg><math><mi>d</mi></math>e', 'ae'],
  ['It is <math alttext="πr^2"><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math>.', 'It is πr^2.'],
  ['So<math display="block" alttext="a = b"><mi>a</mi></math>holds', 'So\na = b\nholds'],
  ['a<span hidden><math alttext="x"></math></span>b', 'ab'],
  ['<!-- comment -->text', 'text'],
  ['<img alt="not text">', ''],
  ['', ''],
  ['   <p> </p> <br> ', ''],
  ['a\0b', 'ab'],
])('%j is %j', (html, text) => {
  expect(canonicalText(html)).toBe(text);
});

test('has no empty lines, double spaces or outer spaces, and is idempotent', () => {
  const piece = fc.oneof(
    fc.constantFrom('<p>', '</p>', '<br>', '<div>', '</div>', '<b>', ' ', '\n', '\u2003', '&nbsp;'),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = canonicalText(pieces.join(''));
      expect(text).not.toMatch(/^\s|\s$|\n\n|[^\S\n]\n|\n[^\S\n]|[^\S\n]{2}/);
      expect(text).toBe(text.normalize('NFC'));
    }),
  );
});

test('a document with a hundred thousand levels is read', () => {
  expect(canonicalText(`${'<b>'.repeat(3)}${'<span>'.repeat(100_000)}deep`)).toBe('deep');
});

test.each([
  ['a title\n in\r\ntwo  lines', 'a title in two lines'],
  ['a\0b', 'ab'],
  ['x'.repeat(2000), 'x'.repeat(1000)],
  [`${'x'.repeat(999)}😀`, 'x'.repeat(999)],
  [`${'x'.repeat(998)}😀y`, `${'x'.repeat(998)}😀`],
])('one line of %j can be stored as text and as JSON', (text, line) => {
  expect(canonicalLine(text)).toBe(line);
});
