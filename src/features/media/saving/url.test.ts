import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalUrl, identify, inferKind, parseMediaUrl } from './url.ts';

const canonical = (text: string) => canonicalUrl(parseMediaUrl(text));

describe('a URL that is not saved', () => {
  test.each([
    '',
    'example.com',
    '//example.com/',
    '/path',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/html,x',
    'javascript:alert(1)',
    'JavaScript://example.com/%0aalert(1)',
    'http://',
    'https://?x',
    'http://user@example.com/',
    'http://user:password@example.com/',
    'http://exa mple.com/',
    'http://1.2.3.4.5/',
    'http://[::1/',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('%s', (text) => {
    expect(() => parseMediaUrl(text)).toThrow(expect.objectContaining({ code: 'E_INVALID_URL' }));
  });

  test('2048 characters are the most', () => {
    const longest = `https://example.com/${'x'.repeat(2048 - 20)}`;
    expect(parseMediaUrl(longest).href).toHaveLength(2048);
    expect(() => parseMediaUrl(`${longest}x`)).toThrow('more than 2048 characters');
  });
});

test.each([
  ['HTTPS://EXAMPLE.COM', 'https://example.com/'],
  ['https://Example.com/Path/', 'https://example.com/Path/'],
  ['https://example.com:443/', 'https://example.com/'],
  ['http://example.com:80/', 'http://example.com/'],
  ['http://example.com:443/', 'http://example.com:443/'],
  ['https://example.com/#part', 'https://example.com/'],
  ['https://example.com/?#', 'https://example.com/'],
  ['https://example.com/?b=2&a=1', 'https://example.com/?b=2&a=1'],
  ['https://example.com/?utm_source=x&b=2&UTM_medium=y&a=1&gclid=z&fbclid=q', 'https://example.com/?b=2&a=1'],
  ['https://example.com/?utm_source=x', 'https://example.com/'],
  ['https://example.com/?utm=1&fbclidx=2', 'https://example.com/?utm=1&fbclidx=2'],
  ['https://example.com/?q=a%20b+c&empty=&flag', 'https://example.com/?q=a%20b+c&empty=&flag'],
  ['  https://example.com/  ', 'https://example.com/'],
  ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
  ['https://example.com/a/../b', 'https://example.com/b'],
])('%s is known as %s', (given, expected) => {
  expect(canonical(given)).toBe(expected);
});

test('the canonical form of a canonical form is itself', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const once = canonical(url);
      expect(canonical(once)).toBe(once);
      expect(once).not.toContain('#');
    }),
    { examples: [['http://a.aa??'], ['http://a.aa?&&'], ['http://a.aa?#?']] },
  );
});

describe('YouTube', () => {
  const ID = 'dQw4w9WgX-_';
  const WATCH = `https://www.youtube.com/watch?v=${ID}`;

  test.each([
    `https://www.youtube.com/watch?v=${ID}`,
    `http://youtube.com/watch?v=${ID}`,
    `https://m.youtube.com/watch?v=${ID}&t=10s`,
    `https://music.youtube.com/watch?list=x&v=${ID}`,
    `https://WWW.YOUTUBE.COM/watch?utm_source=x&v=${ID}#t=1`,
    `https://www.youtube.com/embed/${ID}`,
    `https://www.youtube.com/embed/${ID}?autoplay=1`,
    `https://youtube-nocookie.com/embed/${ID}`,
    `https://www.youtube-nocookie.com/embed/${ID}`,
    `https://www.youtube.com/shorts/${ID}`,
    `https://www.youtube.com/shorts/${ID}/`,
    `https://www.youtube.com/live/${ID}?feature=share`,
    `https://www.youtube.com/v/${ID}`,
    `https://youtu.be/${ID}`,
    `https://youtu.be/${ID}?si=abcdef&t=3`,
    `https://youtu.be:443/${ID}`,
  ])('%s', (text) => {
    const url = parseMediaUrl(text);
    expect(identify('video', url)).toEqual({
      canonical_url: WATCH,
      provider: 'youtube',
      provider_id: ID,
      external_playback_url: WATCH,
    });
    expect(inferKind(url)).toBe('video');
  });

  test.each([
    'https://www.youtube.com/',
    'https://www.youtube.com/watch',
    'https://www.youtube.com/watch?v=',
    'https://www.youtube.com/watch?v=short',
    `https://www.youtube.com/watch?v=${ID}x`,
    'https://www.youtube.com/watch?v=dQw4w9WgX!_',
    'https://www.youtube.com/embed/',
    'https://www.youtube.com/shorts/tooshort',
    'https://www.youtube.com/channel/UCxxxxxxxxxx',
    'https://youtu.be/',
    `https://youtu.be/x/${ID}`,
  ])('%s is no video', (text) => {
    const url = parseMediaUrl(text);
    expect(() => identify('video', url)).toThrow(expect.objectContaining({ code: 'E_INVALID_URL' }));
    expect(inferKind(url)).toBe('web_article');
  });

  test.each([`https://notyoutube.com/watch?v=${ID}`, `https://youtube.com.evil.example/watch?v=${ID}`])(
    '%s is another site',
    (text) => {
      const url = parseMediaUrl(text);
      expect(inferKind(url)).toBe('web_article');
      expect(identify('video', url)).toMatchObject({ provider: null, canonical_url: text });
    },
  );
});
