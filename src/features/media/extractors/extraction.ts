import { Failure, type FailureCode } from '../../../contract/errors.ts';
import type { BookFacts, FragmentLayout, PrintedPage } from '../../../contract/media.ts';
import { canonicalText } from '../text/canonical-text.ts';
import { countWords, readingMinutes } from './words.ts';

/** A readable part of a media with its text: a row of `media_fragments` without its ids. */
export interface ExtractedFragment {
  idx: number;
  title: string | null;
  html_sanitized: string;
  canonical_text: string;
  t_start_ms: number | null;
  t_end_ms: number | null;
  /** How it is shown; null for horizontal text that flows. */
  layout: FragmentLayout | null;
  /** The printed pages that begin in it; null when there are none. */
  printed_pages: PrintedPage[] | null;
}

interface Metadata {
  author: string | null;
  site: string | null;
  language: string | null;
  /** ISO 8601, with the precision of the source. */
  published: string | null;
  description: string | null;
  word_count: number;
  reading_minutes: number;
  /** The URL of an external image, or the name of an asset. */
  cover: string | null;
}

/** A file that belongs to the extracted document, such as an image of a book. */
export interface Asset {
  name: string;
  content_type: string;
  bytes: Uint8Array;
}

export interface OutlineItem {
  title: string;
  /** The fragment that the entry links to; null when it has no target. */
  fragment_idx: number | null;
  /** The id of the element in the fragment, when the entry does not link to its beginning. */
  element?: string;
  depth: number;
}

export interface Extraction {
  title: string | null;
  metadata: Metadata;
  fragments: ExtractedFragment[];
  /** All canonical texts, joined with line feeds. */
  plain_text: string;
  outline: OutlineItem[];
  assets: Asset[];
  /** How a book is read. */
  book?: BookFacts;
  /** Whether this is a page with hardly any text. */
  is_link?: boolean;
}

/** The known properties of a media that could not be extracted. */
export type Known = Pick<Extraction, 'title'> & { metadata: Partial<Metadata> };

export class ExtractionFailure extends Failure {
  readonly known: Known | undefined;

  constructor(code: FailureCode, message: string, options: ErrorOptions & { known?: Known } = {}) {
    super(code, message, options);
    this.name = 'ExtractionFailure';
    this.known = options.known;
  }
}

export function plainText(fragments: Pick<ExtractedFragment, 'canonical_text'>[]): string {
  return fragments
    .map(({ canonical_text }) => canonical_text)
    .filter((text) => text !== '')
    .join('\n');
}

/** Creates a fragment from sanitised HTML. */
export function toFragment(
  idx: number,
  html: string,
  more: Partial<ExtractedFragment> = {},
): ExtractedFragment {
  const text = { html_sanitized: html, canonical_text: canonicalText(html) };
  const nothing = { title: null, t_start_ms: null, t_end_ms: null, layout: null, printed_pages: null };
  return { idx, ...nothing, ...text, ...more };
}

type Parts = Known & Pick<Extraction, 'fragments'> & Partial<Pick<Extraction, 'outline' | 'assets'>>;

/** Completes an extraction with what follows from its fragments. */
export function toExtraction({ title, metadata, fragments, outline = [], assets = [] }: Parts): Extraction {
  const plain_text = plainText(fragments);
  const word_count = countWords(plain_text);
  const unknown = {
    author: null,
    site: null,
    language: null,
    published: null,
    description: null,
    cover: null,
  };
  const counts = { word_count, reading_minutes: readingMinutes(word_count) };
  return { title, metadata: { ...unknown, ...metadata, ...counts }, fragments, plain_text, outline, assets };
}

/** Returns a language tag such as `en` or `pt-BR`; null for anything else. */
export function languageTag(value: string | null): string | null {
  return value !== null && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value) ? value : null;
}
