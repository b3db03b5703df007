import { parseUrl } from '../../../platform/url.ts';
import { attribute, type Element, escapeAttribute, escapeText, isHtml, type Node, walk } from './markup.ts';

interface SanitizeOptions {
  /** The base of relative URLs. Without it they are dropped. */
  baseUrl?: string | undefined;
  /** Returns the URL that an image is served from; undefined drops the image. */
  rewriteImage(url: string): string | undefined;
  /** Returns the URL of a link; undefined drops the link and keeps its text. Without it links stay as they are. */
  rewriteLink?(url: string): string | undefined;
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

/** Allowed attributes by element, and the pattern of their value. URLs are handled separately. */
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

/** Returns HTML that is safe to show: nothing in it runs, and it loads only what `rewriteImage` returns. */
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

/** Whether an element is hidden. Its style is removed, so it would be shown. */
function isHidden(element: Element): boolean {
  if (attribute(element, 'hidden') !== undefined) return true;
  return /(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attribute(element, 'style') ?? '');
}

/** Returns undefined for an element that is useless without a URL that is not allowed. */
function attributesOf(element: Element, options: SanitizeOptions): string | undefined {
  const { tagName } = element;
  const allowed = { ...ATTRIBUTES['*'], ...ATTRIBUTES[tagName] };
  const kept = element.attrs
    .filter(({ name, value }) => Object.hasOwn(allowed, name) && allowed[name]?.test(value))
    .map(({ name, value }): [string, string] => [name, value]);
  if (tagName === 'img') {
    const url = absoluteUrl(attribute(element, 'src'), options.baseUrl);
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

/** Resolves an address; undefined for other schemes, and for relative addresses without a base. */
export function absoluteUrl(value: string | null | undefined, base: string | undefined, schemes = WEB) {
  const address = value?.trim();
  const url = address ? parseUrl(address, base) : undefined;
  return url && schemes.includes(url.protocol) ? url.href : undefined;
}
