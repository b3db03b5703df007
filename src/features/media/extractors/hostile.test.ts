/**
 * Reads documents that take extractors to their limits of time and memory.
 *
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import { watchEventLoop } from '../../../../test/support/event-loop.ts';
import { useExtractors } from '../../../../test/support/extractors.ts';
import { ATTACKS } from '../../../../test/support/fixtures/attacks.ts';
import { makeEpub } from '../../../../test/support/fixtures/epub.ts';
import { makePage } from '../../../../test/support/fixtures/pages.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';
import { startSite } from '../../../../test/support/internet.ts';
import { parseMarkup, walk } from '../text/markup.ts';

const MB = 1024 * 1024;
// Most of these documents reach a limit, and use all of the time that they are given.
const extractors = useExtractors({ timeoutMs: 2000, memoryMb: 384 });
const patient = useExtractors({ memoryMb: 384 });

async function save(page: string | Buffer, by = extractors) {
  const site = await startSite((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(page),
  );
  return by.webArticle({ url: site.url, imagePath: '/i?u=', assetPath: '/a/' });
}

const deep = (tag: string, depth: number) =>
  `<html><body>${`<${tag}>`.repeat(depth)}text${`</${tag}>`.repeat(depth)}</body></html>`;

const tex = (source: string) => `<p>It is <script type="math/tex">${source}</script> here.</p>`;
const letter = (index: number) => String.fromCharCode(97 + index);

describe('a hostile document does not affect anything else', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['a page nested a hundred thousand times', () => save(deep('div', 100_000))],
    ['formatting nested a hundred thousand times', () => save(deep('b', 100_000))],
    ['tables nested fifty thousand times', () => save(deep('table><tr><td', 50_000))],
    ['a million elements', () => save(`<html><body>${'<p>a,b,c</p>'.repeat(700_000)}</body></html>`)],
    [
      'a million attributes',
      () =>
        save(
          `<html><body><p ${Array.from({ length: 500_000 }, (_, i) => `a${i}=1`).join(' ')}>x</p></body></html>`,
        ),
    ],
    ['a tag that never ends', () => save(`<html><body><p title="${'<'.repeat(8 * MB)}`)],
    ['comments that never end', () => save(`<html><body>${'<!--'.repeat(2 * MB)}`)],
    [
      'text that makes patterns backtrack',
      () => save(`<html><body><p>${'a '.repeat(2 * MB)}${'('.repeat(MB)}</p></body></html>`),
    ],
    [
      'spaces that make patterns backtrack',
      () =>
        save(
          `<html><head><title>${' '.repeat(MB)}x</title><meta property="og:title" content="${'\t'.repeat(MB)}|"></head><body>${' '.repeat(MB)}</body></html>`,
        ),
    ],
    [
      'JSON-LD nested without end',
      () => save(makePage({ head: `<script type="application/ld+json">${'['.repeat(MB)}</script>` })),
    ],
    [
      'a formula nested a hundred thousand times',
      () => save(makePage({ article: `<math>${'<mrow>'.repeat(100_000)}<mi>x</mi>` })),
    ],
    [
      'a formula with a million elements',
      () => save(makePage({ article: `<math>${'<mi>x</mi>'.repeat(700_000)}</math>` })),
    ],
    [
      'a hundred thousand formulas',
      () => save(makePage({ article: '<math><msup><mi>x</mi><mn>2</mn></msup></math>'.repeat(100_000) })),
    ],
    ['a megabyte of TeX', () => save(makePage({ article: tex(`x + ${'\\frac{a}{b} + '.repeat(MB / 14)}`) }))],
    [
      'ten thousand formulas in TeX',
      () => save(makePage({ article: tex('\\frac{a_1}{b^2} + \\sqrt{x}').repeat(10_000) })),
    ],
    [
      'TeX nested without end',
      () =>
        save(
          makePage({
            article: tex('{'.repeat(9000)) + tex('\\sqrt{'.repeat(1500)) + tex('x^{'.repeat(3000)),
          }),
        ),
    ],
    [
      'TeX macros that multiply',
      () =>
        save(
          makePage({
            article:
              tex(
                `\\def\\a{xxxxxxxxxx}${Array.from({ length: 20 }, (_, i) => `\\def\\${letter(i + 1)}{${`\\${letter(i)}`.repeat(10)}}`).join('')}\\${letter(20)}`,
              ) +
              tex('\\def\\x{\\x\\x}\\x') +
              tex('\\edef\\x{a}\\edef\\x{\\x\\x}'.concat('\\edef\\x{\\x\\x}'.repeat(30), '\\x')),
          }),
        ),
    ],
    [
      'delimiters of formulas that are never closed',
      () =>
        save(
          makePage({
            head: '<script src="/mathjax.js"></script>',
            article: `<p>${'\\('.repeat(MB)}${'$$x$$'.repeat(MB / 5)}`,
          }),
        ),
    ],
    [
      'a drawing nested a hundred thousand times',
      () =>
        save(makePage({ article: `<svg width="100" height="100">${'<g>'.repeat(100_000)}<path d="M0 0"/>` })),
    ],
    [
      'a drawing with a million elements',
      () =>
        save(makePage({ article: `<svg width="100" height="100">${'<path d="M0 0"/>'.repeat(500_000)}` })),
    ],
    [
      'a drawing that multiplies itself',
      () =>
        save(
          makePage({
            article: `<svg width="100" height="100">${Array.from({ length: 30 }, (_, i) => `<g id="g${i + 1}">${`<use href="#g${i}"/>`.repeat(10)}</g>`).join('')}<path id="g0" d="M0 0"/></svg>`,
          }),
        ),
    ],
    [
      'tables and links to everywhere',
      () =>
        save(
          makePage({
            article: Array.from({ length: 50_000 }, (_, i) => `<a href="#i${i}" id="i${i}">x</a>`).join(''),
          }),
        ),
    ],
    [
      'a book with a chapter nested without end',
      () =>
        extractors.epub({
          bytes: makeEpub({ chapters: [{ file: 'a.xhtml', title: 'a', body: '<div>'.repeat(200_000) }] }),
          assetPath: '/a/',
        }),
    ],
    [
      'a book whose contents are nested without end',
      () =>
        extractors.epub({
          bytes: makeEpub({
            files: [{ name: 'OEBPS/nav.xhtml', content: `<html><body><nav>${'<ol><li>'.repeat(100_000)}` }],
          }),
          assetPath: '/a/',
        }),
    ],
    [
      'a chapter of attributes without end',
      () =>
        extractors.epub({
          bytes: makeEpub({ chapters: [{ file: 'a.xhtml', title: 'a', body: `<p${' a="b"'.repeat(MB)}` }] }),
          assetPath: '/a/',
        }),
    ],
    [
      'a PDF whose pages are their own parents',
      () =>
        extractors.pdf({
          bytes: Buffer.from(
            makePdf().toString('latin1').replace('/Kids [7 0 R]', '/Kids [2 0 R]'),
            'latin1',
          ),
        }),
    ],
    [
      'a PDF that says it has a billion pages',
      () =>
        extractors.pdf({
          bytes: Buffer.from(makePdf().toString('latin1').replace('/Count 1', '/Count 1000000000'), 'latin1'),
        }),
    ],
  ])('%s', async (_what, read) => {
    const before = process.memoryUsage().rss;
    const { result: outcome, longestTurnMs } = await watchEventLoop(() =>
      read().then(
        () => 'read',
        (error) => error.code,
      ),
    );
    // Extracted, or refused with an expected code.
    expect([
      'read',
      'E_NO_READABLE_CONTENT',
      'E_EXTRACTION_TIMEOUT',
      'E_EXTRACTION_MEMORY',
      'E_EXTRACTION_TOO_LARGE',
      'E_RESPONSE_TOO_LARGE',
      'E_EPUB_INVALID',
      'E_PDF_INVALID',
      'E_ARCHIVE_UNSAFE',
    ]).toContain(outcome);
    expect(longestTurnMs).toBeLessThan(1500);
    expect(process.memoryUsage().rss - before).toBeLessThan(700 * MB);
    // The next document is extracted.
    expect(await save(makePage())).toMatchObject({ kind: 'web_article' });
  });
});

test('attacks in formulas, drawings and tables leave nothing that runs or loads', async () => {
  for (const attack of ATTACKS.filter((text) => /math|svg|katex|table|pre|clobber/i.test(text))) {
    const { extraction } = await save(makePage({ article: `<div>${attack}</div><p>After it.</p>` }), patient);
    const html = extraction.fragments[0]?.html_sanitized ?? '';
    walk(parseMarkup(html), {
      text: () => undefined,
      enter({ tagName, attrs }) {
        expect(tagName, attack).not.toMatch(
          /^(script|style|iframe|svg|foreignobject|annotation-xml|form|object|embed)$/i,
        );
        for (const { name, value } of attrs) {
          expect(name, attack).not.toMatch(/^(on|style|srcdoc|xlink|formaction)/i);
          if (/href|src/.test(name)) expect(value, attack).toMatch(/^(https?:|mailto:|#n-|\/i\?u=|\/a\/)/);
        }
        return true;
      },
      leave: () => undefined,
    });
    for (const { bytes } of extraction.assets) {
      const svg = Buffer.from(bytes).toString();
      expect(svg, attack).not.toMatch(
        /<(script|foreignObject|animate|set|iframe|a)\b|<[^>]*\son\w+=|javascript:|\/\/evil/i,
      );
    }
  }
});

test('TeX that is wrong, too long or too deep is shown as its source', async () => {
  const sources = [
    '\\frac{a',
    '\\unknown{x}',
    '\\href{javascript:alert(1)}{x}',
    `x${'+x'.repeat(6000)}`,
    '{'.repeat(9000),
  ];
  for (const source of sources) {
    const { extraction } = await save(makePage({ article: tex(source) }), patient);
    expect(extraction.fragments[0]?.html_sanitized).toContain(`<code class="language-tex">${source}</code>`);
    expect(extraction.plain_text).toContain(source);
  }
});

test('an aborted extraction ends immediately with the reason of the abort', async () => {
  const stop = new AbortController();
  const reason = new Error('cancelled by a person');
  const site = await startSite((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(deep('b', 100_000));
    response.on('finish', () => stop.abort(reason));
  });
  await expect(
    extractors.webArticle({ url: site.url, imagePath: '/', assetPath: '/', signal: stop.signal }),
  ).rejects.toBe(reason);
});

test('a page with many combining marks is extracted quickly, and its text is in NFC', async () => {
  const marks = 'a\u0301\u0316'.concat('\u0301\u0316'.repeat(225_000));
  const { extraction } = await save(
    `<html><body><article><p>${'A sentence to read. '.repeat(20)}${marks}</p></article></body></html>`,
    patient,
  );
  const text = extraction.plain_text;
  expect(text.length).toBeGreaterThan(450_000);
  // Fast, because the marks are already in order.
  expect(text.normalize('NFC')).toBe(text);
});
