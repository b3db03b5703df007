import { Readability } from '@mozilla/readability';
import { decodeText } from '../../../platform/egress/charset.ts';
import { canonicalUrl, parseMediaUrl } from '../saving/url.ts';
import { canonicalLine } from '../text/canonical-text.ts';
import { absoluteUrl, sanitizeNodes } from '../text/sanitize.ts';
import { createDrawings } from './drawings.ts';
import { ExtractionFailure, languageTag, toExtraction, toFragment } from './extraction.ts';
import { type PageDocument, type PageElement, parsePage } from './page-dom.ts';
import { fromPage } from './page-markup.ts';
import { readPlainText } from './plain-text.ts';
import { preparePage } from './prepare-page.ts';

interface WebArticleTask {
  bytes: Uint8Array;
  contentType: string | undefined;
  /** The final URL of the page, after redirects. */
  url: string;
  /** The URL prefix of images; the encoded address of an image follows it. */
  imagePath: string;
  /** The URL prefix of assets. */
  assetPath: string;
}

/** A page with fewer letters is a notice, a login form or an application: a link, not an article. */
const ENOUGH_LETTERS = 40;

/** Extracts the article of a page or a plain text, and the canonical address that the page declares. */
export function extractWebArticle({ bytes, contentType, url, imagePath, assetPath }: WebArticleTask) {
  const { text } = decodeText(bytes, contentType);
  if (isPlainText(contentType, text)) return plainTextArticle(text, url);
  const document = parsePage(text);
  const page = describePage(document, url);
  document.baseURI = page.baseUrl;
  const isLoginForm = document
    .getElementsByTagName('input')
    .some((input) => input.getAttribute('type') === 'password');

  const drawings = createDrawings(assetPath);
  const formulas = preparePage(document, drawings);
  // Readability modifies the document, so everything else must be read before.
  const article = new Readability<PageElement>(document as never, {
    serializer: (node) => node as never,
  }).parse();
  const title = withoutSiteName(clean(article?.title) ?? page.title, page.heading);
  if (article?.content) dropTitle(article.content, title);
  const html = sanitizeNodes(article?.content ? [fromPage(article.content, formulas)] : [], {
    baseUrl: page.baseUrl,
    pageUrls: [url, page.canonicalUrl ?? url],
    rewriteImage: (image) => drawings.urlOf(image) ?? `${imagePath}${encodeURIComponent(image)}`,
  });
  const description = clean(article?.excerpt) ?? page.description;
  const fragment = toFragment(0, html);
  const isLink = !hasEnoughLetters(fragment.canonical_text);
  const isEmpty = !title && !description && fragment.canonical_text === '';
  if (isLink && (isLoginForm || isEmpty)) throw noArticle(isLoginForm, url);

  const metadata = {
    author: clean(article?.byline),
    site: clean(article?.siteName) ?? siteOf(url),
    language: page.language,
    published: isoDate(article?.publishedTime ?? page.published),
    description,
    cover: page.image,
  };
  const extraction = toExtraction({ title, metadata, fragments: [fragment], assets: drawings.used() });
  // Pages without text cannot be compared, so they are not united with the address that they declare.
  return { ...extraction, is_link: isLink, canonical_url: isLink ? null : page.canonicalUrl };
}

/** Some servers send pages as plain text. */
function isPlainText(contentType: string | undefined, text: string): boolean {
  return /^\s*text\/plain\b/i.test(contentType ?? '') && !/^\s*<(!doctype\s+html|html)\b/i.test(text);
}

function plainTextArticle(text: string, url: string) {
  const { title, html } = readPlainText(text);
  const fragment = toFragment(0, html);
  if (fragment.canonical_text === '') throw noArticle(false, url);
  const metadata = { site: siteOf(url) };
  const extraction = toExtraction({ title: clean(title), metadata, fragments: [fragment] });
  return { ...extraction, is_link: !hasEnoughLetters(fragment.canonical_text), canonical_url: null };
}

function siteOf(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '');
}

function hasEnoughLetters(text: string): boolean {
  let letters = 0;
  for (const _letter of text.matchAll(/\p{L}/gu)) if (++letters === ENOUGH_LETTERS) return true;
  return false;
}

function describePage(document: PageDocument, url: string) {
  const contents = metaElements(document);
  const meta = (...names: string[]) =>
    names.map((name) => contents.get(name)).find((content) => content) ?? null;
  const baseUrl = absoluteUrl(document.getElementsByTagName('base')[0]?.getAttribute('href'), url) ?? url;
  const canonicalLink = document
    .getElementsByTagName('link')
    .find((link) => /\bcanonical\b/i.test(link.getAttribute('rel') ?? ''));
  return {
    baseUrl,
    title: meta('og:title', 'twitter:title') ?? clean(document.getElementsByTagName('title')[0]?.textContent),
    description: meta('og:description', 'twitter:description', 'description'),
    heading: clean(document.getElementsByTagName('h1')[0]?.textContent),
    language: languageTag(
      (document.documentElement?.getAttribute('lang') ?? meta('og:locale') ?? '').trim().replaceAll('_', '-'),
    ),
    published: meta('article:published_time', 'datepublished', 'date', 'dc.date') ?? undefined,
    image: absoluteUrl(meta('og:image', 'og:image:url', 'twitter:image'), baseUrl) ?? null,
    canonicalUrl: declaredAddress(canonicalLink?.getAttribute('href'), baseUrl, url),
  };
}

/** Reads the content of all meta elements by lower-case name, in one walk. The first element with a name counts. */
function metaElements(document: PageDocument): Map<string, string> {
  const contents = new Map<string, string>();
  for (const element of document.getElementsByTagName('meta')) {
    const name = (element.getAttribute('property') ?? element.getAttribute('name') ?? '').toLowerCase();
    const content = clean(element.getAttribute('content'));
    if (content && !contents.has(name)) contents.set(name, content);
  }
  return contents;
}

/** Drops the heading that repeats the title. Readability compares words, so it misses scripts without spaces. */
function dropTitle(content: PageElement, title: string | null): void {
  const [heading] = [...content.getElementsByTagName('h1'), ...content.getElementsByTagName('h2')];
  if (!heading || !title || clean(heading.textContent) !== title) return;
  if (clean(content.textContent)?.startsWith(title)) heading.remove();
}

/** Removes the name of the site that follows the heading in many page titles. */
function withoutSiteName(title: string | null, heading: string | null): string | null {
  const rest = title && heading && title.startsWith(heading) ? title.slice(heading.length) : '';
  return /^\s*[|\u2013\u2014:\u00b7\u00bb-]/.test(rest) ? heading : title;
}

/** Returns the canonical address that a page declares, only on its own host: a page must not claim another site's. */
function declaredAddress(href: string | null | undefined, baseUrl: string, url: string): string | null {
  const claimed = absoluteUrl(href, baseUrl);
  if (!claimed || new URL(claimed).host !== new URL(url).host) return null;
  try {
    return canonicalUrl(parseMediaUrl(claimed));
  } catch {
    return null;
  }
}

/** Converts a date in any format that JavaScript parses; null for others. */
function isoDate(value: string | null | undefined): string | null {
  const trimmed = value?.trim() ?? '';
  if (/^\d{4}(-\d{2}(-\d{2})?)?$/.test(trimmed)) return trimmed;
  const time = Date.parse(trimmed);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function clean(text: string | null | undefined): string | null {
  return canonicalLine(text ?? '') || null;
}

function noArticle(isLoginForm: boolean, url: string): ExtractionFailure {
  const { host } = new URL(url);
  if (isLoginForm) {
    return new ExtractionFailure('E_LOGIN_REQUIRED', `${host} shows this page only to signed-in users.`);
  }
  return new ExtractionFailure(
    'E_NO_READABLE_CONTENT',
    `Nexus found no article on this page of ${host}. If you can see one in your browser, save it as a PDF and upload it.`,
  );
}
