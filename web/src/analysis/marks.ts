import type { Fragment } from '../api/types.ts';
import type { Span } from './queries.ts';
import { createTextPlaces, textRunsIn } from './text-places.ts';

const ALL = 'nexus-finding';
const HERE = 'nexus-finding-here';

/** Browsers without highlights show the text as it is. */
const highlights = 'highlights' in CSS && typeof Highlight === 'function' ? CSS.highlights : undefined;

/** Where the text of a fragment stands: an article or a chapter, a page of a PDF, a line of a transcript. */
function elementOf(idx: number): Element | null {
  return document.querySelector(
    [
      `.prose-part[data-fragment="${idx}"]`,
      `.pdf-page[data-page="${idx + 1}"] > .pdf-text`,
      `.transcript-lines > :nth-child(${idx + 1}) > .transcript-line > :last-child`,
    ].join(),
  );
}

/** Ranges of the page for places of the canonical text; what is not on the page has none. */
export function rangesOf(spans: readonly Span[], fragments: readonly Fragment[]): (Range | undefined)[] {
  const finders = new Map<number, ReturnType<typeof createTextPlaces<Node>> | undefined>();
  const finderOf = (idx: number) => {
    if (!finders.has(idx)) {
      const element = elementOf(idx);
      const fragment = fragments.find((candidate) => candidate.idx === idx);
      const isThere = element && fragment;
      finders.set(
        idx,
        isThere ? createTextPlaces<Node>(textRunsIn<Node>(element), fragment.canonical_text) : undefined,
      );
    }
    return finders.get(idx);
  };
  return spans.map(({ fragment_idx, start, end }) => {
    const place = finderOf(fragment_idx)?.(start, end);
    if (!place) return undefined;
    const range = document.createRange();
    range.setStart(place.start.node, place.start.offset);
    range.setEnd(place.end.node, place.end.offset);
    return range;
  });
}

export function showMarks(ranges: readonly (Range | undefined)[], here: number): void {
  if (!highlights) return;
  const known = ranges.filter((range) => range !== undefined);
  const current = ranges[here];
  highlights.set(ALL, new Highlight(...known));
  const marked = new Highlight(...(current ? [current] : []));
  marked.priority = 1;
  highlights.set(HERE, marked);
}

export function hideMarks(): void {
  highlights?.delete(ALL);
  highlights?.delete(HERE);
}

const BAR_HEIGHT = 64;

/** Brings it to where it can be read, unless it is there already. */
export function scrollToRange(range: Range): void {
  const line = range.startContainer.parentElement?.closest('.transcript-line');
  if (line) {
    line.scrollIntoView({ block: 'nearest' });
    return;
  }
  const { top, bottom } = range.getBoundingClientRect();
  const sheet = document.querySelector('.beside')?.getBoundingClientRect();
  // On narrow screens the panel is a sheet that covers what is below.
  const end = sheet && sheet.left < 1 ? sheet.top : window.innerHeight;
  if (top > BAR_HEIGHT && bottom < end) return;
  window.scrollBy({ top: top - BAR_HEIGHT - (end - BAR_HEIGHT) / 3 });
}

export function isOnPage({ fragment_idx }: Span): boolean {
  return elementOf(fragment_idx) !== null;
}
