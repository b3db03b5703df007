import { codeLanguage } from '../text/code-language.ts';
import type { Element } from '../text/markup.ts';
import type { Drawings } from './drawings.ts';
import { replaceFormulas } from './formulas.ts';
import { type PageDocument, PageElement } from './page-dom.ts';

/**
 * Puts the parts of a page that Readability and the sanitiser do not understand into a form that they keep: formulas,
 * drawings, footnotes, and the language of code. Returns the formulas for `fromPage`.
 */
export function preparePage(page: PageDocument, drawings: Drawings, { isFixed = false } = {}): Element[] {
  dropLongAttributes(page);
  const formulas = replaceFormulas(page);
  drawings.replaceIn(page, { isFixed });
  for (const code of page.querySelectorAll('pre,code')) markLanguage(code);
  for (const note of page.querySelectorAll('aside,footer')) if (isNote(note)) replaceByDiv(page, note);
  return formulas;
}

/** The longest attribute of an image that is kept, in characters. Real values of `srcset` have up to about 5,000. */
const LONGEST = 8192;

/** Drops long attributes of images, such as `srcset`: Readability's patterns take quadratic time for each of them. */
function dropLongAttributes(page: PageDocument): void {
  for (const element of page.querySelectorAll('img,picture,source,figure,video,audio'))
    for (const { name, value } of element.attributes)
      if (value.length > LONGEST && name !== 'src' && name !== 'alt') element.removeAttribute(name);
}

/** The languages of code are often named by an element around it. */
const AROUND = 3;

/** Writes the language of code into an attribute: Readability removes classes. */
function markLanguage(element: PageElement): void {
  const isBlock = element.localName === 'pre';
  const inner = isBlock ? element.children.find(({ localName }) => localName === 'code') : undefined;
  if (isBlock && inner && languageOf(inner)) return;
  let language = languageOf(element);
  let around = element.parentNode;
  for (let level = 0; isBlock && !language && level < AROUND && around instanceof PageElement; level++) {
    // An element with more than this code says nothing about it.
    if (around.children.length > 2) break;
    language = languageOf(around);
    around = around.parentNode;
  }
  if (language) (inner ?? element).setAttribute('data-language', language);
}

function languageOf(element: PageElement): string | undefined {
  return codeLanguage(
    element.className,
    element.getAttribute('data-language') ?? element.getAttribute('data-lang'),
  );
}

/** Whether an element holds footnotes. Readability drops every `aside` and `footer`. */
function isNote(element: PageElement): boolean {
  const roles = `${element.getAttribute('role') ?? ''} ${element.getAttribute('epub:type') ?? ''}`;
  return (
    /\b(doc-)?(footnotes?|endnotes?|rearnotes?)\b/.test(roles) ||
    /\b(foot|end)notes?\b/.test(element.className)
  );
}

function replaceByDiv(page: PageDocument, element: PageElement): void {
  const div = page.createElement('div');
  for (const { name, value } of element.attributes) div.setAttribute(name, value);
  while (element.firstChild) div.appendChild(element.firstChild);
  element.parentNode?.replaceChild(div, element);
}
