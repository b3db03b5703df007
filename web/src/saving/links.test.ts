import { expect, test } from 'vitest';
import { findLinks, isOnlyLinks, shortLink } from './links.ts';

test.each([
  ['https://example.com/a', ['https://example.com/a']],
  ['  https://example.com/a\n\nhttps://example.org/b ', ['https://example.com/a', 'https://example.org/b']],
  [
    'Read this: https://example.com/a, and then (https://example.org/b).',
    ['https://example.com/a', 'https://example.org/b'],
  ],
  ['https://example.com/a https://example.com/a', ['https://example.com/a']],
  ['example.com/article', ['https://example.com/article']],
  ['müller.example/über', ['https://müller.example/über']],
  ['see https://en.example.org/wiki/Tide_(water), too', ['https://en.example.org/wiki/Tide_(water)']],
  ['<https://example.com/a>', ['https://example.com/a']],
  ['javascript:alert(1) data:text/html,x file:///etc/passwd', []],
  ['nothing here, e.g. no address', []],
  ['', []],
])('in %j the links are %j', (text, links) => {
  expect(findLinks(text)).toEqual(links);
});

test('pasting saves only text that consists of addresses', () => {
  expect(isOnlyLinks('https://example.com/a\nhttps://example.org/b')).toBe(true);
  expect(isOnlyLinks('see https://example.com/a')).toBe(false);
  expect(isOnlyLinks('')).toBe(false);
});

test('a link is shown without scheme and www', () => {
  expect(shortLink('https://www.example.com/')).toBe('example.com');
  expect(shortLink('https://example.com/a?b=c#d')).toBe('example.com/a');
});
