import { Readability } from '@mozilla/readability';
import { normalForm } from '../../../contract/normal-form.ts';
import { decodeText } from '../../../platform/egress/charset.ts';
import { canonicalUrl, parseMediaUrl } from '../saving/url.ts';
import { canonicalText } from '../text/canonical-text.ts';
import { sanitizeNodes } from '../text/sanitize.ts';
import { type Extraction, ExtractionFailure } from './extraction.ts';
import { type PageDocument, type PageElement, parsePage } from './page-dom.ts';
import { fromPage } from './page-nodes.ts';
import { countWords, readingMinutes } from './words.ts';

export interface WebArticleTask {
  bytes: Uint8Array;
  contentType: string | undefined;
  /** The URL of the page after redirects. */
  url: string;
  /** The path prefix of images, followed by the encoded URL. */
  imagePath: string;
}

export interface WebArticleExtraction extends Extraction {
  /** The canonical address that the page declares, if it is trusted. */
  canonical_url: string | null;
}

/** A page with fewer letters is a notice, a login form or an application, not an article. */
const ENOUGH_LETTERS = /(?:\P{L}*\p{L}){40}/u;

export function extractWebArticle({
  bytes,
  contentType,
  url,
  imagePath,
}: WebArticleTask): WebArticleExtraction {
  const { text } = decodeText(bytes, contentType);
  const document = parsePage(text);
  const page = describePage(document, url);
  document.baseURI = page.baseUrl;
  const isLoginForm = document
    .getElementsByTagName('input')
    .some((input) => input.getAttribute('type') === 'password');

  // Readability changes the document, so everything else is read before.
  const article = new Readability<PageElement>(document as never, {
    serializer: (node) => node as never,
  }).parse();
  const html = sanitizeNodes(article?.content ? [fromPage(article.content)] : [], {
    baseUrl: page.baseUrl,
    rewriteImage: (image) => `${imagePath}${encodeURIComponent(image)}`,
  });
  const canonical = canonicalText(html);
  if (!ENOUGH_LETTERS.test(canonical)) throw nothingToRead(isLoginForm, url);

  const words = countWords(canonical);
  return {
    title: withoutSite(clean(article?.title) ?? page.title, page.heading),
    metadata: {
      author: clean(article?.byline),
      site: clean(article?.siteName) ?? new URL(url).hostname.replace(/^www\./, ''),
      language: page.language,
      published: isoDate(article?.publishedTime ?? page.published),
      description: clean(article?.excerpt),
      word_count: words,
      reading_minutes: readingMinutes(words),
      cover: page.image,
    },
    fragments: [
      {
        idx: 0,
        title: null,
        html_sanitized: html,
        canonical_text: canonical,
        t_start_ms: null,
        t_end_ms: null,
      },
    ],
    plain_text: canonical,
    outline: [],
    assets: [],
    canonical_url: page.canonicalUrl,
  };
}

function describePage(document: PageDocument, url: string) {
  const said = metaElements(document);
  const meta = (...names: string[]) => names.map((name) => said.get(name)).find((content) => content) ?? null;
  const baseUrl = webUrl(document.getElementsByTagName('base')[0]?.getAttribute('href'), url) ?? url;
  const canonicalLink = document
    .getElementsByTagName('link')
    .find((link) => /\bcanonical\b/i.test(link.getAttribute('rel') ?? ''));
  return {
    baseUrl,
    title: meta('og:title', 'twitter:title') ?? clean(document.getElementsByTagName('title')[0]?.textContent),
    heading: clean(document.getElementsByTagName('h1')[0]?.textContent),
    language: language(document.documentElement?.getAttribute('lang') ?? meta('og:locale')),
    published: meta('article:published_time', 'datepublished', 'date', 'dc.date') ?? undefined,
    image: webUrl(meta('og:image', 'og:image:url', 'twitter:image'), baseUrl),
    canonicalUrl: ownAddress(canonicalLink?.getAttribute('href'), baseUrl, url),
  };
}

/** Returns meta elements by their lower-case name; the first of a name counts. One walk for all of them. */
function metaElements(document: PageDocument): Map<string, string> {
  const said = new Map<string, string>();
  for (const element of document.getElementsByTagName('meta')) {
    const name = (element.getAttribute('property') ?? element.getAttribute('name') ?? '').toLowerCase();
    const content = clean(element.getAttribute('content'));
    if (content && !said.has(name)) said.set(name, content);
  }
  return said;
}

/** Sites append their name to the title; the heading of the page is the title. */
function withoutSite(title: string | null, heading: string | null): string | null {
  const rest = title && heading && title.startsWith(heading) ? title.slice(heading.length) : '';
  return /^\s*[|\u2013\u2014:\u00b7\u00bb-]/.test(rest) ? heading : title;
}

/** Trusted only within its own host, so that nobody can take the address of another site. */
function ownAddress(href: string | null | undefined, baseUrl: string, url: string): string | null {
  const claimed = webUrl(href, baseUrl);
  if (!claimed || new URL(claimed).host !== new URL(url).host) return null;
  try {
    return canonicalUrl(parseMediaUrl(claimed));
  } catch {
    return null;
  }
}

function webUrl(value: string | null | undefined, base: string): string | null {
  if (!value || !URL.canParse(value.trim(), base)) return null;
  const url = new URL(value.trim(), base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}

function language(value: string | null): string | null {
  const tag = value?.trim().replaceAll('_', '-') ?? '';
  return /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) ? tag : null;
}

/** Parses a date of any format; null when it cannot be parsed. */
function isoDate(value: string | null | undefined): string | null {
  const trimmed = value?.trim() ?? '';
  if (/^\d{4}(-\d{2}(-\d{2})?)?$/.test(trimmed)) return trimmed;
  const time = Date.parse(trimmed);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function clean(text: string | null | undefined): string | null {
  const trimmed = normalForm(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 1000);
  return trimmed || null;
}

function nothingToRead(isLoginForm: boolean, url: string): ExtractionFailure {
  const { host } = new URL(url);
  if (isLoginForm) {
    return new ExtractionFailure('E_LOGIN_REQUIRED', `${host} shows this only to those who sign in there.`);
  }
  return new ExtractionFailure(
    'E_NO_READABLE_CONTENT',
    `There is no article on this page of ${host}. If you see one, the page may build it with scripts: save it as a PDF and upload that.`,
  );
}
