import {
  attribute,
  type Element,
  escapeAttribute,
  escapeText,
  isHtml,
  type Node,
  parseMarkup,
  walk,
} from './markup.ts';

export interface SanitizeOptions {
  /** What relative addresses are relative to. Without it they are dropped. */
  baseUrl?: string | undefined;
  /** The address under which a reader gets the image, given its own; undefined leaves it out. */
  rewriteImage(url: string): string | undefined;
  /** The same of a link, which keeps its text in any case. Links stay as they are unless it is given. */
  rewriteLink?(url: string): string | undefined;
}

const words = (text: string) => new Set(text.split(' '));

/** What is kept. Everything else is taken off while its content stays, but for what is dropped whole. */
const KEPT = words(
  'a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em ' +
    'figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark ol p pre q rp rt ruby s samp section ' +
    'small span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr',
);

/** Dropped with all that is in it: it runs, it loads, it asks for input, or it is no content. */
const DROPPED = words(
  'applet audio base button canvas datalist dialog embed frame frameset head iframe input link map meta noembed noframes ' +
    'object optgroup option param plaintext portal progress script select source style svg math template textarea title ' +
    'track video xmp',
);

const VOID = words('br col hr img wbr');

const TEXT = /^[^\0]{0,500}$/;
const NUMBER = /^\d{1,4}$/;

/** Attributes by element, and what their value must look like. Addresses are treated on their own. */
const ATTRIBUTES: Record<string, Record<string, RegExp>> = {
  '*': {
    'aria-hidden': /^true$/,
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

/** HTML that a browser may show: nothing in it runs, and nothing is loaded but what `rewriteImage` returns. */
export function sanitizeHtml(html: string, options: SanitizeOptions): string {
  return sanitizeNodes(parseMarkup(html), options);
}

export function sanitizeNodes(nodes: Node[], options: SanitizeOptions): string {
  const parts: string[] = [];
  walk(nodes, {
    text: (value) => void parts.push(escapeText(value)),
    enter(element) {
      const { tagName } = element;
      if (!isHtml(element) || DROPPED.has(tagName) || isHidden(element)) return false;
      if (!KEPT.has(tagName)) return true;
      const attributes = attributesOf(element, options);
      if (attributes === undefined) return false;
      parts.push(`<${tagName}${attributes}>`);
      return true;
    },
    leave({ tagName }) {
      if (KEPT.has(tagName) && !VOID.has(tagName)) parts.push(`</${tagName}>`);
    },
  });
  return parts.join('');
}

/** Without its style it would show. */
function isHidden(element: Element): boolean {
  if (attribute(element, 'hidden') !== undefined) return true;
  return /(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attribute(element, 'style') ?? '');
}

/** Undefined for an element that is nothing without an address that it may not have. */
function attributesOf(element: Element, options: SanitizeOptions): string | undefined {
  const { tagName } = element;
  const allowed = { ...ATTRIBUTES['*'], ...ATTRIBUTES[tagName] };
  const kept = element.attrs
    .filter(({ name, value }) => Object.hasOwn(allowed, name) && allowed[name]?.test(value))
    .map(({ name, value }): [string, string] => [name, value]);
  if (tagName === 'img') {
    const url = absoluteUrl(attribute(element, 'src'), options.baseUrl, WEB);
    const src = url && options.rewriteImage(url);
    if (!src) return undefined;
    kept.unshift(['src', src]);
  }
  if (tagName === 'a') {
    const url = absoluteUrl(attribute(element, 'href'), options.baseUrl, [...WEB, 'mailto:']);
    const href = url && options.rewriteLink ? options.rewriteLink(url) : url;
    if (href?.startsWith('#')) kept.unshift(['href', href]);
    else if (href) kept.unshift(['href', href], ['rel', 'noopener noreferrer'], ['target', '_blank']);
  }
  return kept.map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`).join('');
}

const WEB = ['http:', 'https:'];

function absoluteUrl(
  value: string | undefined,
  base: string | undefined,
  schemes: string[],
): string | undefined {
  const address = value?.trim();
  if (!address || !URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  return schemes.includes(url.protocol) ? url.href : undefined;
}
