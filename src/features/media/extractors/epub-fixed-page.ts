import type { FragmentLayout } from '../../../contract/media.ts';
import { attribute, type Element, escapeAttribute, escapeText } from '../text/markup.ts';
import { bookClass, type PageRule, pageStyles, type StyleImages } from '../text/page-styles.ts';
import { DRAWN_WORDS } from './drawings.ts';
import { type PageSize, pageSize, readViewport } from './epub-package.ts';
import type { PageDocument, PageElement } from './page-dom.ts';

type PageLayout = Extract<FragmentLayout, { type: 'page' }>;

/** The marks of the elements that stand for the root and the body of a page. */
const ROOT = 'data-page-root';
const BODY = 'data-page-body';

/** Styles of a page, and of a book, beyond this are left out. The text stays. */
const MAX_STYLES = 256 * 1024;
const MAX_STYLES_OF_BOOK = 32 * 1024 * 1024;

/** How much more the pages of a book may have of styles. */
export interface StyleBudget {
  left: number;
}

export function createStyleBudget(): StyleBudget {
  return { left: MAX_STYLES_OF_BOOK };
}

/** Returns the size of a page: as it says itself, as its only drawing has it, or as the book says. */
export function sizeOfPage(page: PageDocument, ofBook: PageSize | undefined): PageSize | undefined {
  const viewport = page.querySelectorAll('meta').find((meta) => meta.getAttribute('name') === 'viewport');
  const declared = readViewport(viewport?.getAttribute('content'));
  if (declared) return declared;
  const drawings = page.querySelectorAll('svg');
  const box = drawings.length === 1 ? drawings[0]?.getAttribute('viewBox') : undefined;
  const [, , width, height] =
    box
      ?.trim()
      .split(/[\s,]+/)
      .map(Number) ?? [];
  return pageSize(width, height) ?? ofBook;
}

/** Whether a page without a size consists of one image, which then is its size. */
export function isPicturePage(page: PageDocument): boolean {
  return page.querySelectorAll('img,svg').length === 1 && (page.body?.textContent.trim() ?? '') === '';
}

/** Puts the content of a page into elements that stand for its root and body, and have their classes. */
export function wrapPage(page: PageDocument): PageElement {
  const root = wrapper(page, page.documentElement, ROOT);
  const body = wrapper(page, page.body, BODY);
  while (page.body?.firstChild) body.appendChild(page.body.firstChild);
  root.appendChild(body);
  for (const image of body.querySelectorAll('img')) sizesToStyle(image);
  return root;
}

function wrapper(page: PageDocument, element: PageElement | null, mark: string): PageElement {
  const div = page.createElement('div');
  for (const { name, value } of element?.attributes ?? [])
    if (['class', 'id', 'style', 'lang', 'dir'].includes(name)) div.setAttribute(name, value);
  div.setAttribute(mark, '');
  return div;
}

/** Writes lengths such as `width="50%"` as style: the sanitiser keeps numbers only. */
function sizesToStyle(image: PageElement): void {
  for (const name of ['width', 'height']) {
    const value = image.getAttribute(name)?.trim() ?? '';
    if (/^[\d.]+(%|px)$/.test(value))
      image.setAttribute('style', `${name}:${value};${image.getAttribute('style') ?? ''}`);
  }
}

/** Collects the classes of a page while it is sanitised, and returns the styles that they need. */
export function createPageStyles(images: StyleImages, budget: StyleBudget) {
  const present = new Set<string>();
  /** The classes of style attributes. */
  const own = new Map<string, string>();

  function ownClass(style: string): string {
    const name = own.get(style) ?? `s${own.size + 1}`;
    own.set(style, name);
    return name;
  }

  return {
    addId: (id: string) => void present.add(`#${id}`),
    classesOf(element: Element): string {
      present.add(element.tagName);
      const names = (attribute(element, 'class') ?? '').split(/\s+/).filter(Boolean).map(bookClass);
      for (const name of names) present.add(`.${name}`);
      if (attribute(element, ROOT) !== undefined) names.push('page-root');
      if (attribute(element, BODY) !== undefined) names.push('page-body');
      if (attribute(element, DRAWN_WORDS) !== undefined) names.push('page-words');
      const style = attribute(element, 'style')?.trim();
      if (style) names.push(ownClass(style));
      return names.join(' ');
    },
    /**
     * Returns the rules that can match an element of the page, and those of style attributes, which win over them. Calls
     * `onImage` for each image that they show.
     */
    sheet(sheets: { rules: PageRule[] }[], onImage: (name: string) => void): string {
      const parts: string[] = [];
      let left = Math.min(MAX_STYLES, budget.left);
      const add = (
        selector: string,
        { declarations, images: used }: Omit<PageRule, 'selector' | 'needs'>,
      ) => {
        left -= selector.length + declarations.length + 2;
        if (left < 0 || declarations === '') return;
        parts.push(`${selector}{${declarations}}`);
        for (const image of used) onImage(image);
      };
      for (const { rules } of sheets)
        for (const rule of rules) if (rule.needs.every((name) => present.has(name))) add(rule.selector, rule);
      const ofSheets = parts.splice(0);
      const styles = pageStyles([...own.keys()], images);
      for (const [index, name] of [...own.values()].entries())
        add(`.${name}`, styles[index] ?? { declarations: '', images: [] });
      const sheet = `@layer book{${ofSheets.join('')}}@layer own{${parts.join('')}}`;
      budget.left -= sheet.length;
      return sheet;
    },
  };
}

interface Picture {
  src: string;
  alt: string;
  words: string;
  size: PageSize | undefined;
}

/** Returns a page that is an image file. The words of a drawing are text, which can be found. */
export function picturePage({ src, alt, words, size }: Picture): { html: string; layout: PageLayout } {
  const text = words === '' ? '' : `<span class="page-words">${escapeText(words)}</span>`;
  const shownAlt = words !== '' && alt === words.slice(0, 500) ? '' : alt;
  const image = `<img src="${escapeAttribute(src)}" alt="${escapeAttribute(shownAlt)}" class="page-picture">`;
  return {
    html: `<div class="page-root"><div class="page-body">${image}${text}</div></div>`,
    layout: pageLayout(size, ''),
  };
}

export function pageLayout(size: PageSize | undefined, styles: string): PageLayout {
  return { type: 'page', width: size?.width ?? null, height: size?.height ?? null, styles };
}
