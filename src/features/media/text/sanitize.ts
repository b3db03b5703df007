import { parseUrl } from '../../../platform/url.ts';
import { codeLanguage } from './code-language.ts';
import { imageSource } from './image-source.ts';
import {
  attribute,
  type Element,
  escapeAttribute,
  escapeText,
  isElement,
  isHtml,
  isMathMl,
  type Node,
  textOf,
  walk,
} from './markup.ts';
import { formulaHtml } from './mathml.ts';
import { findTargets, fragmentOf, idOf, isNoteReference, targetId } from './targets.ts';

interface SanitizeOptions {
  /** The base of relative URLs. Without it they are dropped. */
  baseUrl?: string | undefined;
  /** The addresses of the page. Links to a part of it stay in the page. Without them it is the base. */
  pageUrls?: string[];
  /** Returns the URL that an image is served from; undefined drops the image. */
  rewriteImage(url: string): string | undefined;
  /** Returns the URL of a link; undefined drops the link and keeps its text. Without it links stay as they are. */
  rewriteLink?(url: string): string | undefined;
  /** Returns the id of an element; undefined drops it. Without it, only ids that a link in these nodes leads to are kept. */
  rewriteId?(id: string, isLinked: boolean): string | undefined;
  /** Returns the classes that give an element the style of its page. Without it, all classes are dropped. */
  classesOf?(element: Element): string | undefined;
}

const words = (text: string) => new Set(text.split(' '));

/** Allowed elements. Other elements are replaced by their content, except for those that are dropped. */
const KEPT = words(
  'a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em ' +
    'figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q rp rt ruby s samp section ' +
    'small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr',
);

/** Elements dropped with their content: they run, load, take input, or are not content. */
const DROPPED = words(
  'applet audio base button canvas datalist dialog embed frame frameset head iframe input link map meta noembed noframes ' +
    'object optgroup option param plaintext portal progress script select source style svg math template textarea title ' +
    'track video xmp',
);

const VOID = words('br col hr img wbr');

const TEXT = /^[^\0]{0,500}$/;
const NUMBER = /^\d{1,4}$/;

/** Allowed attributes by element, and the pattern of their value. URLs and ids are handled separately. */
const ATTRIBUTES: Record<string, Record<string, RegExp>> = {
  '*': {
    'aria-hidden': /^true$/,
    'data-upright': /^$/,
    dir: /^(ltr|rtl|auto)$/i,
    lang: /^[A-Za-z0-9-]{1,35}$/,
    title: TEXT,
  },
  col: { span: NUMBER },
  colgroup: { span: NUMBER },
  img: { alt: TEXT, height: NUMBER, width: NUMBER },
  li: { value: NUMBER },
  ol: { reversed: /^.{0}$|^reversed$/i, start: /^-?\d{1,6}$/, type: /^[1aAiI]$/ },
  td: { colspan: NUMBER, rowspan: NUMBER },
  th: { colspan: NUMBER, rowspan: NUMBER, scope: /^(row|col|rowgroup|colgroup)$/i },
  time: { datetime: /^[\w:.+ -]{1,40}$/ },
};

/** An open element, and what ends it in the result. */
interface Frame {
  end: string;
  /** The element in the result that contains the content: itself, or what contains it when it is not kept. */
  holder: Holder;
}

/** An element of the result: whether it contains words itself, and where in the result its images are. */
interface Holder {
  element: Element | undefined;
  hasText: boolean;
  images: number[];
}

/** The class of the box in which a table scrolls. The reader's style sheet has it. */
const TABLE_BOX = 'table-box';

/**
 * Returns HTML that is safe to show: nothing in it runs, and it loads only what `rewriteImage` returns. Sanitising the
 * result again does not change it, unless elements were nested as HTML cannot express it, such as links in links.
 */
export function sanitizeNodes(nodes: Node[], options: SanitizeOptions): string {
  const parts: string[] = [];
  const targets = findTargets(nodes, options, { isShown, isKept });
  const context: Context = { ...options, targets, placed: new Set() };
  const open: Frame[] = [];
  const top: Holder = { element: undefined, hasText: false, images: [] };
  const holder = () => open.at(-1)?.holder ?? top;
  let tables = 0;
  walk(nodes, {
    text(value) {
      if (value === '') return;
      // A parser drops the first line feed of `pre`, so one that was kept needs another one before it.
      if (value.startsWith('\n') && parts.at(-1)?.startsWith('<pre')) parts.push('\n');
      parts.push(escapeText(value));
      holder().hasText ||= /\S/.test(value);
    },
    enter(element) {
      const { tagName } = element;
      if (isMathMl(element) && tagName === 'math' && !isHidden(element)) {
        const formula = formulaHtml(element);
        if (formula !== '') {
          parts.push(formula);
          holder().hasText = true;
        }
      }
      if (!isShown(element)) return false;
      if (!isKept(element)) {
        if (tagName === 'picture') context.picture = element;
        open.push({ end: '', holder: holder() });
        return true;
      }
      const attributes = attributesOf(element, holder().element, context);
      if (attributes === undefined) return false;
      let end = VOID.has(tagName) ? '' : `</${tagName}>`;
      if (tagName === 'table') {
        if (tables === 0) {
          parts.push(tableBox(element));
          end += '</div>';
        }
        tables += 1;
      }
      if (tagName === 'img') holder().images.push(parts.length);
      parts.push(`<${tagName}${attributes}>`);
      open.push({ end, holder: { element, hasText: false, images: [] } });
      return true;
    },
    leave({ tagName }) {
      if (tagName === 'table') tables -= 1;
      if (tagName === 'picture') context.picture = undefined;
      const frame = open.pop();
      if (!frame) return;
      if (frame.holder !== holder()) markInlineImages(parts, frame.holder);
      if (frame.end !== '') parts.push(frame.end);
    },
  });
  markInlineImages(parts, top);
  return parts.join('');
}

/** Marks the images that stand between words: they belong to a sentence. */
function markInlineImages(parts: string[], { hasText, images }: Holder): void {
  if (!hasText) return;
  for (const index of images) parts[index] = parts[index]?.replace(/>$/, ' data-inline="">') ?? '';
}

/** Whether the content of an element is part of the page. */
function isShown(element: Element): boolean {
  return isHtml(element) && !DROPPED.has(element.tagName) && !isHidden(element);
}

/** Whether an element itself is in the result, not only its content. */
function isKept(element: Element): boolean {
  return KEPT.has(element.tagName) && !isTableBox(element);
}

/** Whether an element is hidden. Its style is removed, so it would be shown. */
function isHidden(element: Element): boolean {
  if (attribute(element, 'hidden') !== undefined) return true;
  return /(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attribute(element, 'style') ?? '');
}

/** Whether an element is a box that an earlier sanitising has put around a table. */
function isTableBox(element: Element): boolean {
  return element.tagName === 'div' && attribute(element, 'class') === TABLE_BOX;
}

/** Starts the box of a table, which scrolls on its own. The keyboard scrolls only what can have the focus. */
function tableBox(table: Element): string {
  const caption = table.childNodes.find((node) => isElement(node) && node.tagName === 'caption');
  const name = caption && isElement(caption) ? textOf(caption.childNodes).slice(0, 100) : '';
  return `<div class="${TABLE_BOX}" tabindex="0" role="region" aria-label="${escapeAttribute(name || 'Table')}">`;
}

interface Context extends SanitizeOptions {
  /** The ids that links in the page lead to. */
  targets: Set<string>;
  /** The ids that are already in the result. Of several elements with an id, the first has it. */
  placed: Set<string>;
  /** The picture around the current element. */
  picture?: Element | undefined;
}

/** Returns undefined for an element that is useless without a URL that is not allowed. */
function attributesOf(element: Element, parent: Element | undefined, context: Context): string | undefined {
  const { tagName } = element;
  const allowed = { ...ATTRIBUTES['*'], ...ATTRIBUTES[tagName] };
  const kept = element.attrs
    .filter(({ name, value }) => Object.hasOwn(allowed, name) && allowed[name]?.test(value))
    .map(({ name, value }): [string, string] => [name, value]);
  if (tagName === 'img') {
    const url = absoluteUrl(imageSource(element, context.picture), context.baseUrl);
    const src = url && context.rewriteImage(url);
    if (!src) return undefined;
    kept.unshift(['src', src]);
  }
  if (tagName === 'a') kept.unshift(...linkAttributes(element, parent, context));
  if (tagName === 'pre') kept.push(['tabindex', '0']);
  const classes = classesOf(element, context);
  if (classes) kept.push(['class', classes]);
  const id = placedId(element, context);
  if (id !== undefined) kept.unshift(['id', id]);
  return kept.map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`).join('');
}

function classesOf(element: Element, context: Context): string | undefined {
  const ofPage = context.classesOf?.(element);
  if (element.tagName !== 'pre' && element.tagName !== 'code') return ofPage;
  const language = codeLanguage(attribute(element, 'class'), attribute(element, 'data-language'));
  return [language && `language-${language}`, ofPage].filter(Boolean).join(' ');
}

function linkAttributes(element: Element, parent: Element | undefined, context: Context): [string, string][] {
  const href = attribute(element, 'href');
  const target = fragmentOf(href, context);
  const inPage = target !== undefined && context.targets.has(target);
  const url = inPage ? undefined : absoluteUrl(href, context.baseUrl, [...WEB, 'mailto:']);
  const address = inPage
    ? `#${targetId(target).replaceAll('%', '%25')}`
    : url && context.rewriteLink
      ? context.rewriteLink(url)
      : url;
  if (!address) return [];
  if (!address.startsWith('#'))
    return [
      ['href', address],
      ['rel', 'noopener noreferrer'],
      ['target', '_blank'],
    ];
  return isNoteReference(element, parent)
    ? [
        ['href', address],
        ['data-note', ''],
      ]
    : [['href', address]];
}

function placedId(element: Element, { targets, placed, rewriteId }: Context): string | undefined {
  const id = idOf(element);
  if (id === undefined || placed.has(id)) return undefined;
  const isLinked = targets.has(id);
  const kept = rewriteId ? rewriteId(id, isLinked) : isLinked ? targetId(id) : undefined;
  if (kept !== undefined) placed.add(id);
  return kept;
}

const WEB = ['http:', 'https:'];

/** Resolves an address; undefined for other schemes, and for relative addresses without a base. */
export function absoluteUrl(value: string | null | undefined, base: string | undefined, schemes = WEB) {
  const address = value?.trim();
  const url = address ? parseUrl(address, base) : undefined;
  return url && schemes.includes(url.protocol) ? url.href : undefined;
}
