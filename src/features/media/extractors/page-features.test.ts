import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { extractWebArticle } from './web-article.ts';

const CORPUS = new URL('../../../../test/support/fixtures/pages/features/', import.meta.url);
const names = readdirSync(CORPUS)
  .filter((name) => name.endsWith('.expected.html'))
  .map((name) => name.replace('.expected.html', ''));

/** Returns the HTML of a page between the two paragraphs that are around its feature. */
function featureOf(name: string): string {
  const { fragments } = extractWebArticle({
    bytes: readFileSync(new URL(`${name}.html`, CORPUS)),
    contentType: 'text/html; charset=utf-8',
    url: `https://example.org/features/${name}.html`,
    imagePath: '/images?url=',
    assetPath: '/assets/',
  });
  const html = fragments[0]?.html_sanitized ?? '';
  const [, feature] =
    /<p>The feature starts here\.<\/p>([\s\S]*)<p>The feature ends here\.<\/p>/.exec(html) ?? [];
  return feature ?? expect.fail(`The feature is not in the article: ${html}`);
}

/** Ignores white space between blocks, and the names of files, which are hashes. */
function comparable(html: string): string {
  return html
    .replace(/\/[0-9a-f]{32}\./g, '/HASH.')
    .replace(
      /(<\/?(?:p|pre|div|figure|math|table|dl|h2)\b[^>]*>)\s+(?=<(?:p|pre|div|figure|math|table|dl|h2)\b)/g,
      '$1',
    )
    .trim();
}

/** Each page has one feature. Its expected HTML was written by hand. */
describe('nothing is lost from a page with', () => {
  test.each(names)('%s', (name) => {
    const expected = readFileSync(new URL(`${name}.expected.html`, CORPUS), 'utf8');
    expect(comparable(featureOf(name))).toBe(comparable(expected));
  });
});
