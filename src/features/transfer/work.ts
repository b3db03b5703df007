import type { z } from 'zod';
import type { ExportedText, exportedDocument } from '../../contract/export.ts';
import type { MediaFragment } from '../../contract/media.ts';
import {
  compileRules,
  decisionOf,
  mergedHits,
  type PolicyHit,
  type Rule,
  redactedDeep,
} from '../governance/rules.ts';
import { markdownOf, plainMarkdown } from './markdown.ts';

/** A document before policies are applied. Its texts are JSON as the database wrote it. */
export interface UnjudgedDocument {
  document: Omit<z.input<typeof exportedDocument>, 'texts' | 'withheld'>;
  texts: string;
}

interface MarkdownTask {
  fragments: Pick<MediaFragment, 'title' | 'canonical_text' | 'html_sanitized'>[];
  withTitles: boolean;
  rules: Rule[];
}

/** The tasks of exports, which run in text processes. */
export const exportWork = {
  /** Writes each document as a line of the export. */
  'export.lines'({ documents, rules }: { documents: UnjudgedDocument[]; rules: Rule[] }) {
    const compiled = compileRules(rules);
    return documents.map(({ document, texts }) => {
      const { title, author, description, site } = document;
      const said = { head: { title, author, description, site }, texts: JSON.parse(texts) as ExportedText[] };
      const { value, hits } = redactedDeep(said, compiled);
      const withheld = decisionOf(hits) === 'block';
      const { head, texts: shown } = withheld ? WITHHELD : value;
      const exported: z.input<typeof exportedDocument> = { ...document, ...head, texts: shown, withheld };
      return { line: Buffer.from(JSON.stringify(exported)), hits };
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

const WITHHELD = { head: { title: null, author: null, description: null, site: null }, texts: [] };

export function headingOf(level: number, text: string): string {
  return `${'#'.repeat(level)} ${plainMarkdown(text.replace(/\s+/g, ' '))}\n\n`;
}
