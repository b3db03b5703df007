import { pageNumber } from './epub-navigation.ts';
import type { PageDocument, PageElement } from './page-dom.ts';

/** The beginning of a printed page. */
export interface PageMark {
  label: string;
  id: string;
}

const MARK = /\b(doc-)?pagebreak\b/;
const MOST_MARKS = 20_000;

/** Replaces the marks of printed pages by empty elements: a page number is not part of the text. Returns them in order. */
export function takePageMarks(page: PageDocument): PageMark[] {
  const marks: PageMark[] = [];
  for (const element of page.querySelectorAll('*')) {
    const roles = `${element.getAttribute('epub:type') ?? ''} ${element.getAttribute('role') ?? ''}`;
    if (!MARK.test(roles) || marks.length >= MOST_MARKS) continue;
    const label = labelOf(element);
    const id = element.id || `printed-page-${marks.length + 1}`;
    const mark = page.createElement('span');
    mark.setAttribute('id', id);
    // Some books put the text of a page into its mark.
    const hasText = pageNumber(element.textContent) === '' && element.textContent.trim() !== '';
    element.parentNode?.insertBefore(mark, element);
    if (hasText) element.removeAttribute('id');
    else element.remove();
    if (label !== '') marks.push({ label, id });
  }
  return marks;
}

function labelOf(element: PageElement): string {
  const given = ['title', 'aria-label'].map((name) => pageNumber(element.getAttribute(name) ?? ''));
  const ofId = /(\d+)$/.exec(element.id)?.[1] ?? '';
  return given.find(Boolean) || pageNumber(element.textContent) || ofId;
}
