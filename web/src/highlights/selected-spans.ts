import type { QueryClient } from '@tanstack/react-query';
import { createSpanFinder, lettersUpTo, type TextRun, textRunsIn } from '../analysis/text-ranges.ts';
import { fragmentQuery, fragmentsQuery } from '../library/queries.ts';

/** A selected passage: the fragment in which it begins, and its range, counted from the beginning of that fragment. */
export interface SelectedSpan {
  fragment_idx: number;
  start: number;
  end: number;
  exact: string;
  /** The part in the first fragment, if the passage goes on in others. */
  beginning?: string;
  pdf?: { page: number; rects: number[][] };
}

/** An element with the text of a fragment. */
interface FragmentElement {
  idx: number;
  element: Element;
}

const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];

/** Returns the fragments on the page that a range touches, in order. */
function fragmentsIn(range: Range): FragmentElement[] {
  const prose = all('.prose-part[data-fragment]').map((element) => ({
    idx: Number(element.dataset.fragment),
    element,
  }));
  const fixed = all('.fixed-page[data-fragment]').map(({ dataset, shadowRoot }) => ({
    idx: Number(dataset.fragment),
    element: shadowRoot?.querySelector('.prose-part'),
  }));
  const pages = all('.pdf-page[data-page]').map((page) => ({
    idx: Number(page.dataset.page) - 1,
    element: page.querySelector('.pdf-text'),
  }));
  const lines = all('.transcript-text').map((element, idx) => ({ idx, element }));
  return [...prose, ...fixed, ...pages, ...lines].flatMap(({ idx, element }) =>
    element && range.intersectsNode(element) ? [{ idx, element }] : [],
  );
}

/** Whether a selection is in the text of the document, and not only white space. */
export function isInText(range: Range): boolean {
  return range.toString().trim() !== '' && fragmentsIn(range).length > 0;
}

/** Returns the fragment in which a range ends, and whether no words follow there. */
export function endOf(range: Range): (FragmentElement & { isLast: boolean }) | undefined {
  const last = fragmentsIn(range).at(-1);
  if (!last) return undefined;
  const rest = document.createRange();
  rest.selectNodeContents(last.element);
  if (last.element.contains(range.endContainer)) rest.setStart(range.endContainer, range.endOffset);
  else rest.collapse(false);
  return { ...last, isLast: !/[\p{L}\p{N}]/u.test(rest.toString()) };
}

interface SpanOptions {
  mediaId: string;
  queryClient: QueryClient;
  /** The beginning of the passage, if it is in a chapter before the selection. */
  begun?: SelectedSpan | undefined;
}

/** Returns the selected passage; several for the pages of a PDF, each of which has rectangles of its own. */
export async function spansOf(range: Range, options: SpanOptions): Promise<SelectedSpan[]> {
  const spans = await spansByFragment(range, options);
  const [first, last] = [options.begun ?? spans[0], spans.at(-1)];
  if (!first || !last || first === last || first.pdf) return spans;
  const indexes = Array.from(
    { length: last.fragment_idx - first.fragment_idx + 1 },
    (_, step) => first.fragment_idx + step,
  );
  const texts = await Promise.all(indexes.map((idx) => textOf(options, idx)));
  const { fragment_idx, start } = first;
  const end = texts.slice(0, -1).reduce((sum, text) => sum + text.length + 1, 0) + last.end;
  const exact = texts.join('\n').slice(start, end);
  return [{ fragment_idx, start, end, exact, beginning: texts[0]?.slice(start, end) ?? '' }];
}

/** Returns the selected passages, one for each fragment that the selection touches. */
async function spansByFragment(range: Range, options: SpanOptions): Promise<SelectedSpan[]> {
  const found = await Promise.all(
    fragmentsIn(range).map(async ({ idx, element }) => {
      const text = await textOf(options, idx);
      const span = spanIn(range, element, text);
      if (!span) return [];
      const page = element.closest<HTMLElement>('.pdf-page');
      const pdf = page ? areaOn(page, range, element) : undefined;
      return [{ fragment_idx: idx, ...span, exact: text.slice(span.start, span.end), ...(pdf && { pdf }) }];
    }),
  );
  return found.flat();
}

async function textOf({ queryClient, mediaId }: SpanOptions, idx: number): Promise<string> {
  const known = queryClient.getQueryData(fragmentsQuery(mediaId).queryKey)?.find((one) => one.idx === idx);
  const fragment = known ?? (await queryClient.fetchQuery(fragmentQuery(mediaId, idx)));
  return fragment.canonical_text;
}

function spanIn(range: Range, element: Element, text: string) {
  const runs = textRunsIn<Node>(element);
  const isReordered = element.matches('.pdf-text');
  const [first, end] = [
    element.contains(range.startContainer)
      ? lettersAt(runs, range.startContainer, range.startOffset, 'start')
      : 0,
    element.contains(range.endContainer)
      ? lettersAt(runs, range.endContainer, range.endOffset, 'end')
      : lettersUpTo(runs, runs.length, 0),
  ];
  return createSpanFinder(runs, text, { isReordered })(first, end);
}

/** The number of letters before a boundary of a range. A boundary within a formula includes the whole formula. */
function lettersAt(
  runs: readonly TextRun<Node>[],
  node: Node,
  offset: number,
  side: 'start' | 'end',
): number {
  const index = runs.findIndex((run) => run.node === node);
  if (index >= 0) return lettersUpTo(runs, index, offset);
  const formula = (node instanceof Element ? node : node.parentElement)?.closest('math');
  const formulaIndex = formula ? runs.findIndex((run) => run.node === formula) : -1;
  if (formulaIndex >= 0) return lettersUpTo(runs, formulaIndex + (side === 'end' ? 1 : 0), 0);
  const boundary = document.createRange();
  boundary.setStart(node, offset);
  boundary.collapse(true);
  const next = runs.findIndex((run) => boundary.comparePoint(run.node, 0) >= 0);
  return lettersUpTo(runs, next < 0 ? runs.length : next, 0);
}

const MOST_RECTS = 500;

/** The rectangles of a selection on a page of a PDF, in PDF points from the lower left corner. */
function areaOn(page: HTMLElement, range: Range, element: Element) {
  const scale = Number(getComputedStyle(element).getPropertyValue('--total-scale-factor')) || 1;
  const frame = page.getBoundingClientRect();
  const inside = range.cloneRange();
  if (!element.contains(range.startContainer)) inside.setStart(element, 0);
  if (!element.contains(range.endContainer)) inside.setEnd(element, element.childNodes.length);
  const rects = [...inside.getClientRects()]
    .filter(({ width, height }) => width > 0 && height > 0)
    .slice(0, MOST_RECTS)
    .map(({ left, right, top, bottom }) =>
      [left - frame.left, frame.bottom - bottom, right - frame.left, frame.bottom - top].map(
        (distance) => Math.round((distance / scale) * 10) / 10,
      ),
    );
  return { page: Number(page.dataset.page), rects };
}
