import type { ExportedText, ExportFormat } from '../../contract/export.ts';
import type { MediaFragment } from '../../contract/media.ts';
import {
  compileRules,
  decisionOf,
  mergedHits,
  type PolicyHit,
  type Rule,
  redactedDeep,
} from '../governance/rules.ts';
import type { JudgedDocument, UnjudgedDocument, WireHighlight } from './exported-document.ts';
import { annotationsOf } from './formats/annotations.ts';
import { bookmarkOf } from './formats/bookmarks.ts';
import { markdownFileOf } from './formats/markdown-file.ts';
import { quoteOf } from './formats/quote-of.ts';
import { readwiseRowsOf } from './formats/readwise.ts';
import { headingOf, markdownOf, plainMarkdown } from './markdown.ts';

const FORMATS: Record<ExportFormat, (document: JudgedDocument) => string> = {
  json: ({ shown_title: _, ...document }) => JSON.stringify(document),
  html: bookmarkOf,
  md: markdownFileOf,
  readwise: readwiseRowsOf,
  jsonld: annotationsOf,
};

interface MarkdownTask {
  fragments: Pick<MediaFragment, 'title' | 'canonical_text' | 'html_sanitized'>[];
  withTitles: boolean;
  rules: Rule[];
}

/** The tasks of exports, which run in text processes. */
export const exportWork = {
  /** Applies policies to each document and writes it in a format. The content is null if there is none. */
  'export.documents'({
    documents,
    rules,
    format,
  }: {
    documents: UnjudgedDocument[];
    rules: Rule[];
    format: ExportFormat;
  }) {
    const compiled = compileRules(rules);
    return documents.map((unjudged) => {
      const { document, hits } = judge(unjudged, compiled);
      const written = FORMATS[format](document);
      const { added_at } = document;
      const title = document.shown_title ?? document.title;
      return { content: written === '' ? null : Buffer.from(written), title, added_at, hits };
    });
  },

  /**
   * Writes fragments as Markdown. Policies are applied to the plain text, because markup inside a word would hide it
   * from them. A fragment with a hit is written without its markup. Undefined when one of them is blocked.
   */
  'export.markdown'({ fragments, withTitles, rules }: MarkdownTask) {
    const compiled = compileRules(rules);
    const hits: PolicyHit[] = [];
    const judged = <T>(value: T): T => {
      const redacted = redactedDeep(value, compiled);
      for (const hit of redacted.hits) hits.push(hit);
      return redacted.value;
    };
    const parts = fragments.map(({ title, canonical_text, html_sanitized }) => {
      const shown = judged({ title, text: canonical_text });
      const rich = shown.text === canonical_text ? markdownOf(html_sanitized) : '';
      const heading = withTitles && shown.title ? headingOf(2, shown.title) : '';
      return `${heading}${judged(rich || plainMarkdown(shown.text))}\n\n`;
    });
    const isBlocked = decisionOf(hits) === 'block';
    return { markdown: isBlocked ? undefined : Buffer.from(parts.join('')), hits: mergedHits(hits) };
  },
};

/** Policies apply to all words of a document, and to those that the person wrote about it. Tags, links and dates stay. */
function judge(unjudged: UnjudgedDocument, rules: ReturnType<typeof compileRules>) {
  const { document, mine, shown_title } = unjudged;
  const highlights = JSON.parse(unjudged.highlights) as WireHighlight[];
  const { value, hits } = redactedDeep(
    {
      head: {
        title: document.title,
        author: document.author,
        description: document.description,
        site: document.site,
      },
      shown_title,
      own: { title: mine.title, imported_title: mine.imported_title, note: mine.note },
      passages: highlights.map(wordsOf),
      texts: JSON.parse(unjudged.texts) as ExportedText[],
    },
    rules,
  );
  const withheld = decisionOf(hits) === 'block';
  const { head, own, passages, texts, ...shown } = withheld ? WITHHELD : value;
  const judged: JudgedDocument = {
    ...document,
    ...head,
    mine: { ...mine, ...own },
    highlights: passages.flatMap((words, index) => {
      const highlight = highlights[index];
      return highlight ? withWords(highlight, words) : [];
    }),
    texts,
    withheld,
    ...shown,
  };
  return { document: judged, hits };
}

type Words = { exact: string; prefix: string; suffix: string; note: string | null };

function wordsOf({ target, note }: WireHighlight): Words {
  const { exact, prefix = '', suffix = '' } = quoteOf(target);
  return { exact, prefix, suffix, note };
}

function withWords(highlight: WireHighlight, { note, ...quote }: Words): WireHighlight {
  const selector = highlight.target.selector.map((one) =>
    one.type === 'TextQuoteSelector' ? { ...one, ...quote } : one,
  );
  return { ...highlight, target: { ...highlight.target, selector }, note };
}

const WITHHELD = {
  head: { title: null, author: null, description: null, site: null },
  shown_title: null,
  own: { title: null, imported_title: null, note: null },
  passages: [] as Words[],
  texts: [] as ExportedText[],
};
