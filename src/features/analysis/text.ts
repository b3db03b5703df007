import type { Finding, Span } from '../../contract/analysis.ts';
import type { TextRange } from '../media/text/text-range.ts';

/** The canonical text of a fragment. */
export interface TextFragment {
  idx: number;
  canonical_text: string;
}

/** A document as one text, with the start of each fragment. */
export interface DocumentText {
  text: string;
  /** In order. Fragments are separated by a line feed. */
  fragments: { idx: number; start: number }[];
}

/** Joins fragments with line feeds, which end paragraphs. */
export function joinFragments(fragments: readonly TextFragment[]): DocumentText {
  const starts: DocumentText['fragments'] = [];
  let length = 0;
  for (const { idx, canonical_text } of fragments) {
    starts.push({ idx, start: length });
    length += canonical_text.length + 1;
  }
  return { text: fragments.map(({ canonical_text }) => canonical_text).join('\n'), fragments: starts };
}

/** Converts a range of the whole text to a span of its fragment. A range that reaches into the next fragment is cut. */
export function spanOf({ text, fragments }: DocumentText, { start, end }: TextRange): Span {
  let [low, high] = [0, fragments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((fragments[middle]?.start ?? 0) <= start) low = middle;
    else high = middle - 1;
  }
  const { idx, start: begin } = fragments[low] ?? { idx: 0, start: 0 };
  const limit = (fragments[low + 1]?.start ?? text.length + 1) - 1;
  return { fragment_idx: idx, start: start - begin, end: Math.min(end, limit) - begin };
}

/** A finding with ranges of the whole text. */
export interface LocatedFinding extends Omit<Finding, 'spans'> {
  ranges: TextRange[];
}

export function toFinding(document: DocumentText, { ranges, ...finding }: LocatedFinding): Finding {
  return { ...finding, spans: ranges.map((range) => spanOf(document, range)) };
}
