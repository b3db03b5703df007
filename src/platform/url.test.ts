import { expect, test } from 'vitest';
import { parseUrl } from './url.ts';

test('a URL with an umlaut is valid, however many URLs were parsed before', () => {
  for (let number = 0; number < 100_000; number++) parseUrl(`https://example.com/${number}`);
  expect(parseUrl('https://bücher.example/ä')?.href).toBe('https://xn--bcher-kva.example/%C3%A4');
  expect(parseUrl('ä.xhtml', 'https://example.com/')?.pathname).toBe('/%C3%A4.xhtml');
});

test('an invalid URL is undefined', () => {
  expect(parseUrl('https://')).toBeUndefined();
  expect(parseUrl('page.html')).toBeUndefined();
});
