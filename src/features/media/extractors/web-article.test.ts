import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { failureOf, useExtractors } from '../../../../test/support/extractors.ts';
import { makePage, SENTENCES } from '../../../../test/support/fixtures/pages.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';
import { startSite } from '../../../../test/support/internet.ts';
import { extractWebArticle } from './web-article.ts';

const extractors = useExtractors();
const IMAGES = '/media/1/images?url=';
const paths = { imagePath: IMAGES, assetPath: '/media/1/assets/' };

async function extract(
  page: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'text/html' },
) {
  const site = await startSite((_request, response) => response.writeHead(200, headers).end(page));
  const result = await extractors.webArticle({ url: `${site.url}/posts/1`, ...paths });
  if (result.kind !== 'web_article') return expect.fail('The result is not an article.');
  return { site, ...result.extraction };
}

test.each(Object.keys(SENTENCES))(
  'the article in %s is extracted completely, without the page around it',
  async (language) => {
    const { title, metadata, fragments, plain_text, canonical_url } = await extract(
      makePage({ language, title: 'The lamp' }),
    );
    const sentence = SENTENCES[language]?.normalize('NFC') ?? '';
    expect(title).toBe('The lamp');
    expect(metadata).toMatchObject({ language, site: '127.0.0.1' });
    expect(plain_text.split(sentence)).toHaveLength(12 * 3 + 1);
    expect(plain_text).not.toMatch(/About|Imprint|not text|never/);
    expect(fragments).toHaveLength(1);
    expect(fragments[0]).toMatchObject({ idx: 0, canonical_text: plain_text, t_start_ms: null });
    expect(metadata.word_count).toBeGreaterThan(12 * 3 * 5);
    expect(metadata.reading_minutes).toBe(Math.ceil(metadata.word_count / 220));
    expect(canonical_url).toBeNull();
  },
);

test('metadata comes from meta elements', async () => {
  const head = `<meta property="og:site_name" content="The &amp; Site"><meta name="author" content="A. Writer">
    <meta property="article:published_time" content="2024-02-29T10:00:00+01:00">
    <meta property="og:image" content="/lead.jpg"><meta name="description" content="About a lamp.">`;
  const { metadata, site } = await extract(makePage({ head }));
  expect(metadata).toMatchObject({
    author: 'A. Writer',
    site: 'The & Site',
    published: '2024-02-29T09:00:00.000Z',
    description: 'About a lamp.',
    cover: `${site.url}/lead.jpg`,
  });
});

test('metadata comes from JSON-LD', async () => {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: 'The lamp',
    author: { name: 'B. Writer' },
    datePublished: '2023-01-02',
  };
  const head = `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
  expect((await extract(makePage({ head }))).metadata).toMatchObject({
    author: 'B. Writer',
    published: '2023-01-02',
  });
});

test('metadata has no NUL, which the database does not store', async () => {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: 'The l\0amp',
    author: { name: '\0B. Writer' },
    description: 'About\0 a lamp.',
  };
  const head = `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
  const { title, metadata } = await extract(makePage({ head }));
  expect(title).toBe('The lamp');
  expect(metadata).toMatchObject({ author: 'B. Writer', description: 'About a lamp.' });
});

test('links and images become absolute, images use the proxy, and scripts are removed', async () => {
  const article = `<p><a href="../other">A link in the text that goes elsewhere</a> and a picture
    <img src="a.png" onerror="alert(1)"></p><script>alert(1)</script>`;
  const { fragments, site } = await extract(makePage({ article, head: '<base href="/blog/">' }));
  const html = fragments[0]?.html_sanitized;
  expect(html).toContain(`<a href="${site.url}/other" rel="noopener noreferrer" target="_blank">`);
  expect(html).toContain(
    `<img src="${IMAGES}${encodeURIComponent(`${site.url}/blog/a.png`)}" data-inline="">`,
  );
  expect(html).not.toMatch(/script|onerror/);
});

describe('the canonical address that a page declares', () => {
  const claim = async (href: string, path = '/posts/1') => {
    const site = await startSite((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(makePage({ head: `<link rel="canonical" href="${href}">` })),
    );
    const result = await extractors.webArticle({ url: `${site.url}${path}`, ...paths });
    return result.kind === 'web_article' && result.extraction.canonical_url?.replace(site.url, '');
  };

  test('is used in its canonical form when it is on the same host', async () => {
    expect(await claim('/posts/one?utm_source=x&b=1#top')).toBe('/posts/one?b=1');
  });

  test.each([
    'https://victim.example/',
    '//victim.example/x',
    'javascript:alert(1)',
    'http://127.0.0.1:1/',
    'http://[',
  ])('is ignored when it is %s', async (href) => {
    expect(await claim(href)).toBeFalsy();
  });
});

test('redirects are followed, and the result has the last URL', async () => {
  const site = await startSite((request, response) =>
    request.url === '/old'
      ? response.writeHead(301, { location: '/new' }).end()
      : response.writeHead(200, { 'content-type': 'text/html' }).end(makePage()),
  );
  expect(await extractors.webArticle({ url: `${site.url}/old`, ...paths })).toMatchObject({
    kind: 'web_article',
    url: `${site.url}/new`,
  });
});

describe('the encoding', () => {
  const page = makePage({ language: 'ru' }).replace('<meta charset="utf-8">', '');
  const cyrillic = Buffer.from(
    [...page].map((char) => {
      const code = char.codePointAt(0) ?? 0;
      return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code;
    }),
  );

  test.each([
    ['the header', cyrillic, 'text/html; charset=windows-1251'],
    ['the page', Buffer.concat([Buffer.from('<meta charset=windows-1251>'), cyrillic]), 'text/html'],
    ['a byte order mark', Buffer.from(`\ufeff${page}`, 'utf16le'), 'text/html; charset=iso-8859-1'],
  ])('comes from %s', async (_from, bytes, contentType) => {
    expect((await extract(bytes, { 'content-type': contentType })).plain_text).toContain('Поезд опоздал');
  });

  test('is detected after decompression with brotli', async () => {
    const headers = { 'content-type': 'text/html; charset=windows-1251', 'content-encoding': 'br' };
    expect((await extract(brotliCompressSync(cyrillic), headers)).plain_text).toContain('Поезд опоздал');
  });
});

test.each([
  ['without html, head and body', makePage().replace(/<\/?(!doctype|html|head|body)[^>]*>/g, '')],
  ['with everything in capitals', makePage().replace(/<[^>]*>/g, (tag) => tag.toUpperCase())],
  ['with tags that are never closed', makePage().replace(/<\/(p|article|main)>/g, '')],
])('a page %s is extracted', async (_what, page) => {
  expect((await extract(page)).plain_text).toContain('12. The lamp on the desk');
});

test.each([
  ['ar', 'رسالة من الميناء'],
  ['ja', '夜の図書館'],
])('the title is not repeated in the text, in %s', async (language, title) => {
  const { plain_text, ...article } = await extract(makePage({ language, title }));
  expect(article.title).toBe(title);
  expect(plain_text.startsWith(title)).toBe(false);
});

test('a heading further down stays, also when it repeats the title', async () => {
  const { plain_text } = await extract(makePage({ title: 'Lamps', article: '<h2>Lamps</h2><p>Again.</p>' }));
  expect(plain_text).toContain('Lamps\nAgain.');
});

test('a short note is an article', async () => {
  const { plain_text } = await extract(`<html><body><h1>Note</h1><p>${SENTENCES.en}</p></body></html>`);
  expect(plain_text).toContain(SENTENCES.en);
});

test('a plain text keeps its lines and characters, and its first line is the title', async () => {
  const text = `Headers of C\n\n${SENTENCES.en}\nThe first is <stdio.h>.\n\n    #include <stdio.h>\n    int main();\n`;
  const { title, metadata, fragments, is_link } = await extract(text, { 'content-type': 'text/plain' });
  expect({ title, is_link, site: metadata.site }).toEqual({
    title: 'Headers of C',
    is_link: false,
    site: '127.0.0.1',
  });
  expect(fragments[0]?.html_sanitized).toBe(
    `<p>${SENTENCES.en} The first is &lt;stdio.h&gt;.</p><pre>    #include &lt;stdio.h&gt;\n    int main();</pre>`,
  );
});

test('a page that is sent as plain text is extracted as a page', async () => {
  const { title, plain_text } = await extract(makePage(), { 'content-type': 'text/plain' });
  expect(title).toBe('The lamp');
  expect(plain_text).not.toContain('<p>');
});

describe('a page with hardly any text is a link', () => {
  test('with its title, description and picture, and without the address that it declares', async () => {
    const page = `<html><head><title>Chess</title><link rel="canonical" href="/">
<meta name="description" content="Play against anybody."><meta property="og:image" content="/board.png"></head>
<body><div id="root"></div></body></html>`;
    const { site, ...link } = await extract(page);
    expect(link).toMatchObject({
      title: 'Chess',
      is_link: true,
      canonical_url: null,
      metadata: { description: 'Play against anybody.', cover: `${site.url}/board.png` },
    });
  });

  test('with the text that it has', async () => {
    expect(await extract('<p>Hello.</p>')).toMatchObject({ is_link: true, plain_text: 'Hello.' });
  });

  test('but an article is none', async () => {
    expect(await extract(makePage())).toMatchObject({ is_link: false });
  });
});

describe('a page that cannot be extracted has an error code', () => {
  test.each([
    ['an empty page', '', 'E_NO_READABLE_CONTENT'],
    [
      'an application',
      '<html><body><div id="root"></div><script src="/app.js"></script></body></html>',
      'E_NO_READABLE_CONTENT',
    ],
    [
      'a login form',
      '<html><body><form><p>Sign in</p><input name="user"><input type="password" name="p"></form></body></html>',
      'E_LOGIN_REQUIRED',
    ],
  ])('%s', async (_what, page, code) => {
    expect(await failureOf(extract(page))).toMatchObject({ code, isTransient: false });
  });

  test.each([
    [401, 'E_LOGIN_REQUIRED', false],
    [403, 'E_ACCESS_DENIED', false],
    [404, 'E_PAGE_NOT_FOUND', false],
    [503, 'E_SITE_ERROR', true],
  ])('status %i', async (status, code, isTransient) => {
    const site = await startSite((_request, response) => response.writeHead(status).end(makePage()));
    const call = extractors.webArticle({ url: site.url, ...paths });
    expect(await failureOf(call)).toMatchObject({ code, isTransient });
  });

  test.each(['image/png', 'application/zip', 'video/mp4', 'application/json'])('%s', async (contentType) => {
    expect(await failureOf(extract('x', { 'content-type': contentType }))).toMatchObject({
      code: 'E_UNSUPPORTED_CONTENT',
    });
  });

  test('a page that is too large', async () => {
    expect(await failureOf(extract(Buffer.alloc(11 * 1024 * 1024, ' ')))).toMatchObject({
      code: 'E_RESPONSE_TOO_LARGE',
    });
  });
});

test.each(['application/pdf', 'text/html', 'application/octet-stream'])(
  'a PDF served as %s is extracted as a PDF, and its bytes are kept',
  async (contentType) => {
    const pdf = makePdf({ title: 'A paper', pages: [['On lamps']] });
    const site = await startSite((_request, response) =>
      response.writeHead(200, { 'content-type': contentType }).end(pdf),
    );
    const result = await extractors.webArticle({ url: `${site.url}/paper`, ...paths });
    expect(result).toMatchObject({
      kind: 'pdf',
      extraction: { title: 'A paper', plain_text: 'On lamps', page_count: 1 },
    });
    expect(result.kind === 'pdf' && result.file.equals(pdf)).toBe(true);
  },
);

test.each([
  ['a page with many digits and hardly any letters', `<p>${'1'.repeat(80_000)}</p>`],
  ['a long address in a srcset', makePage({ article: `<img srcset="${'a'.repeat(60_000)} b">` })],
  ['a long address of a lazy image', makePage({ article: `<img data-x="${'.jpg'.repeat(30_000)} b c">` })],
])('%s takes at most three seconds of CPU time', (_what, page) => {
  const task = { bytes: Buffer.from(page), contentType: 'text/html', url: 'https://example.org/', ...paths };
  const before = process.cpuUsage();
  extractWebArticle(task);
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});
