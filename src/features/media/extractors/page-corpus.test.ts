import { readdirSync, readFileSync } from 'node:fs';
import { Readability } from '@mozilla/readability';
import { type DomNode, JSDOM } from 'jsdom';
import { describe, expect, test } from 'vitest';
import { canonicalText } from '../text/canonical-text.ts';
import type { Node as Markup } from '../text/markup.ts';
import { sanitizeNodes } from '../text/sanitize.ts';
import { type PageElement, parsePage } from './page-dom.ts';
import { fromPage } from './page-markup.ts';

const CORPUS = new URL('../../../../test/support/fixtures/pages/', import.meta.url);
const [ELEMENT_NODE, TEXT_NODE] = [1, 3];
const URL_OF_PAGE = 'https://example.org/stories/page.html';
const pages = readdirSync(CORPUS).filter((name) => name.endsWith('.html'));

const options = { baseUrl: URL_OF_PAGE, rewriteImage: (url: string) => url };

type Parsed<Content> = ReturnType<Readability<Content>['parse']>;

/** The article without its content, which each DOM serialises in its own way. */
function fieldsOf(article: Parsed<unknown>) {
  if (!article) return null;
  const { title, byline, dir, lang, siteName, publishedTime, excerpt } = article;
  return { title, byline, dir, lang, siteName, publishedTime, excerpt };
}

function onPageDom(html: string) {
  const document = parsePage(html);
  document.baseURI = URL_OF_PAGE;
  const serializer = (node: unknown) => node as never;
  const article = new Readability<PageElement>(document as never, { serializer }).parse();
  const nodes = article?.content ? [fromPage(article.content)] : [];
  return { fields: fieldsOf(article), html: sanitizeNodes(nodes, options) };
}

function onJsdom(html: string) {
  const { document } = new JSDOM(html, { url: URL_OF_PAGE }).window;
  const serializer = (node: unknown) => node as never;
  const article = new Readability<DomNode>(document as never, { serializer }).parse();
  const nodes = article?.content ? [fromDom(article.content)] : [];
  return { fields: fieldsOf(article), html: sanitizeNodes(nodes, options) };
}

/** Converts a DOM node without serialising it: parsing it again would repair it, and change it. */
function fromDom(node: DomNode): Markup {
  if (node.nodeType === TEXT_NODE) return { nodeName: '#text', value: node.nodeValue } as Markup;
  if (node.nodeType !== ELEMENT_NODE) return { nodeName: '#comment' } as Markup;
  return {
    nodeName: node.localName,
    tagName: node.localName,
    namespaceURI: node.namespaceURI,
    attrs: [...node.attributes].map(({ name, value }) => ({ name, value })),
    childNodes: [...node.childNodes].map(fromDom),
  } as unknown as Markup;
}

/*
 * Readability reads pages on page-dom.ts, which has only the part of the DOM that Readability uses today. If a new
 * version of Readability uses more of the DOM, its article differs from the one on jsdom, and this test fails.
 */
describe('Readability gives the same article on page-dom as on jsdom', () => {
  test('the corpus has pages of many shapes', () => {
    expect(pages.length).toBeGreaterThanOrEqual(30);
  });

  test.each(pages)('%s', (name) => {
    const source = readFileSync(new URL(name, CORPUS), 'utf8');
    const [ours, reference] = [onPageDom(source), onJsdom(source)];
    expect(ours.fields).toEqual(reference.fields);
    expect(canonicalText(ours.html)).toBe(canonicalText(reference.html));
    expect(ours.html).toBe(reference.html);
  });
});
