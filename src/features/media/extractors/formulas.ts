import { attribute, type Element, isElement, parseMarkup } from '../text/markup.ts';
import { formulaText } from '../text/mathml.ts';
import { type PageDocument, PageElement, PageText } from './page-dom.ts';
import { FORMULA, fromPage } from './page-markup.ts';
import { createTexReader } from './tex.ts';

/** Programs that show formulas put them into elements with these classes, or with these names. */
const RENDERED =
  /(?:^|\s)(?:katex(?:-display)?|MathJax(?:_Display|_SVG|_SVG_Display|_CHTML|_MathML|_Preview)?|mwe-math-element)(?:\s|$)/;
const BLOCK = /(?:^|\s)(?:katex-display|MathJax_Display|MathJax_SVG_Display)(?:\s|$)/;
const PREVIEW = /(?:^|\s)MathJax_Preview(?:\s|$)/;
/** Elements whose text is not searched for formulas. */
const VERBATIM = new Set(['pre', 'code', 'kbd', 'samp', 'script', 'style', 'textarea', 'math', 'svg']);
const DELIMITERS = [
  { open: '\\(', close: '\\)', isDisplay: false },
  { open: '\\[', close: '\\]', isDisplay: true },
  { open: '$$', close: '$$', isDisplay: true },
];
const MAX_TEX = 10_000;

/**
 * Finds the formulas of a page and replaces each by an element that Readability keeps: a `span` with its linear form.
 * Readability would drop formulas that are scripts or hidden. Returns the formulas; the span has the index of its own.
 */
export function replaceFormulas(page: PageDocument): Element[] {
  const formulas: Element[] = [];
  const readTex = createTexReader();

  /** Puts a formula in the place of an element of the page. */
  function place(old: PageElement | PageText, math: Element, isDisplay: boolean): void {
    const text = formulaText(math);
    const span = page.createElement('span');
    span.setAttribute(FORMULA, String(formulas.length));
    span.appendChild(page.createTextNode(text));
    formulas.push(withDisplay(math, isDisplay));
    old.parentNode?.replaceChild(span, old);
  }

  function placeTex(old: PageElement | PageText, tex: string, isDisplay: boolean): void {
    const source = tex.trim();
    if (source === '') return;
    const math = readTex(source, isDisplay);
    if (math) place(old, math, isDisplay);
    else old.parentNode?.replaceChild(texSource(page, source), old);
  }

  /** Replaces an element by the MathML in it, or by the TeX that the MathML or an attribute names. */
  function placeFrom(old: PageElement, math: PageElement | undefined, isDisplay: boolean): void {
    const source = math ? fromPage(math) : parsedMath(old.getAttribute('data-mathml'));
    const tex = (math && annotatedTex(math)) ?? old.getAttribute('data-latex');
    const isBlock = isDisplay || math?.getAttribute('display') === 'block';
    if (source && isElement(source) && hasPresentation(source)) place(old, source, isBlock);
    else if (tex) placeTex(old, tex, isBlock);
  }

  const { scripts, hasRendered, isRenderedLater } = survey(page);
  for (const script of scripts) {
    for (let shown = script.previousElementSibling; shown && RENDERED.test(shown.className); ) {
      const before = shown.previousElementSibling;
      shown.remove();
      shown = before;
    }
    const type = script.getAttribute('type') ?? '';
    const isDisplay = /mode\s*=\s*display/i.test(type);
    const math = /^math\/mml/i.test(type) ? parsedMath(script.source) : undefined;
    if (math) place(script, math, isDisplay);
    else placeTex(script, script.source, isDisplay);
  }
  if (hasRendered) {
    // Blocks first: what they contain is gone then.
    for (const isBlock of [true, false]) {
      for (const element of page.querySelectorAll('*')) {
        if (!isRendered(element) || isInBlock(element) !== isBlock || !isConnected(element, page)) continue;
        if (PREVIEW.test(element.className)) {
          if (element.nextElementSibling && isRendered(element.nextElementSibling)) element.remove();
        } else placeFrom(element, element.querySelectorAll('math')[0], isBlock);
      }
    }
  }
  for (const math of page.querySelectorAll('math')) {
    if (isConnected(math, page) && !isHidden(math)) placeFrom(math, math, false);
  }
  if (isRenderedLater) {
    for (const element of page.querySelectorAll('span,div')) {
      const isDisplay = /(?:^|\s)display(?:\s|$)/.test(element.className);
      if (isTexElement(element)) placeTex(element, element.textContent, isDisplay);
    }
    replaceDelimited(page, placeTex);
  }
  return formulas;
}

/** Looks once at all elements, because most pages have no formulas. */
function survey(page: PageDocument) {
  const scripts: PageElement[] = [];
  let hasRendered = false;
  let isRenderedLater = false;
  for (const element of page.querySelectorAll('*')) {
    const { localName } = element;
    if (localName === 'script' && /^math\//i.test(element.getAttribute('type') ?? '')) scripts.push(element);
    hasRendered ||= isRendered(element);
    isRenderedLater ||= loadsRenderer(element);
  }
  return { scripts, hasRendered, isRenderedLater };
}

/** Whether an element loads or configures a program that shows formulas when the page is open. */
function loadsRenderer(element: PageElement): boolean {
  if (element.localName === 'script')
    return /mathjax|katex/i.test(`${element.src} ${element.getAttribute('type') ?? ''}`);
  return element.localName === 'link' && /katex/i.test(element.getAttribute('href') ?? '');
}

function isRendered(element: PageElement): boolean {
  return element.localName === 'mjx-container' || RENDERED.test(element.className);
}

function isInBlock(element: PageElement): boolean {
  return (
    BLOCK.test(element.className) ||
    (element.localName === 'mjx-container' && element.getAttribute('display') === 'true')
  );
}

/** Whether an element contains only TeX without delimiters, as Pandoc writes it for KaTeX. */
function isTexElement(element: PageElement): boolean {
  if (!/(?:^|\s)math\s+(?:inline|display)(?:\s|$)/.test(element.className)) return false;
  return !element.firstElementChild && !/^\s*(?:\\[([]|\$\$)/.test(element.textContent);
}

/** Whether an element is still in the page: it is not when it belongs to a formula that was replaced. */
function isConnected(element: PageElement, page: PageDocument): boolean {
  let top = element.parentNode;
  while (top?.parentNode) top = top.parentNode;
  return top === page;
}

function isHidden(element: PageElement): boolean {
  return element.hasAttribute('hidden') || element.style.display === 'none';
}

/** Whether MathML has more than annotations. */
function hasPresentation(math: Element): boolean {
  const elements = math.childNodes.filter(isElement);
  return elements.some(({ tagName, childNodes }) =>
    tagName === 'semantics'
      ? childNodes.filter(isElement).some((child) => !child.tagName.startsWith('annotation'))
      : !tagName.startsWith('annotation'),
  );
}

function annotatedTex(math: PageElement): string | undefined {
  return math
    .querySelectorAll('annotation')
    .find((annotation) => /^application\/x-tex$/i.test(annotation.getAttribute('encoding') ?? ''))
    ?.textContent;
}

function parsedMath(markup: string | null): Element | undefined {
  if (!markup || markup.length > 20 * MAX_TEX) return undefined;
  return parseMarkup(markup)
    .filter(isElement)
    .find(({ tagName }) => tagName === 'math');
}

function withDisplay(math: Element, isDisplay: boolean): Element {
  const isBlock = isDisplay || attribute(math, 'display') === 'block';
  const { nodeName, tagName, namespaceURI, childNodes } = math;
  return {
    nodeName,
    tagName,
    namespaceURI,
    childNodes,
    attrs: isBlock ? [{ name: 'display', value: 'block' }] : [],
  } as unknown as Element;
}

/** Returns code with the source of a formula that cannot be shown. */
function texSource(page: PageDocument, tex: string): PageElement {
  const code = page.createElement('code');
  code.setAttribute('data-language', 'tex');
  code.appendChild(page.createTextNode(tex));
  return code;
}

/** Replaces formulas that are text between delimiters, as MathJax and KaTeX find them. */
function replaceDelimited(
  page: PageDocument,
  placeTex: (old: PageText, tex: string, isDisplay: boolean) => void,
): void {
  for (const text of searchedTexts(page)) {
    const pieces = splitFormulas(text.data);
    if (pieces.length < 2 && !pieces[0]?.isFormula) continue;
    const parent = text.parentNode;
    if (!parent) continue;
    for (const { content, isFormula, isDisplay } of pieces) {
      const node = parent.insertBefore(page.createTextNode(content), text);
      if (isFormula) placeTex(node, content, isDisplay);
    }
    text.remove();
  }
}

/** Returns the text nodes of a page that may contain formulas. */
function searchedTexts(page: PageDocument): PageText[] {
  const texts: PageText[] = [];
  let node = page.body?.firstChild ?? null;
  while (node) {
    if (node instanceof PageText && /\\[([]|\$\$/.test(node.data)) texts.push(node);
    if (node instanceof PageElement && node.firstChild && !VERBATIM.has(node.localName)) {
      node = node.firstChild;
      continue;
    }
    while (node && !node.nextSibling) {
      const parent: unknown = node.parentNode;
      node = parent instanceof PageElement && parent !== page.body ? parent : null;
    }
    node = node?.nextSibling ?? null;
  }
  return texts;
}

interface Piece {
  content: string;
  isFormula: boolean;
  isDisplay: boolean;
}

/** Splits text at formulas between delimiters. Takes linear time, also when delimiters are never closed. */
function splitFormulas(text: string): Piece[] {
  const pieces: Piece[] = [];
  const openings = DELIMITERS.map((delimiter) => ({ ...delimiter, start: text.indexOf(delimiter.open) }));
  let written = 0;
  const keepText = (end: number) => {
    if (end > written) pieces.push({ content: text.slice(written, end), isFormula: false, isDisplay: false });
  };
  for (;;) {
    const [next] = openings.filter(({ start }) => start >= 0).toSorted((a, b) => a.start - b.start);
    if (!next) break;
    const begin = next.start + next.open.length;
    const end = text.indexOf(next.close, begin);
    if (end < 0) {
      next.start = -1;
      continue;
    }
    const content = text.slice(begin, end);
    const after = end + next.close.length;
    if (content.trim() !== '' && content.length <= MAX_TEX) {
      keepText(next.start);
      pieces.push({ content, isFormula: true, isDisplay: next.isDisplay });
      written = after;
    }
    for (const opening of openings)
      if (opening.start >= 0 && opening.start < after) opening.start = text.indexOf(opening.open, after);
  }
  keepText(text.length);
  return pieces;
}
