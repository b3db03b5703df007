import { DOMParser } from 'linkedom';
import { decodeText } from '../../../platform/egress/charset.ts';
import { escapeText } from '../text/markup.ts';
import { unsafe } from './archive.ts';

/** The part of an XML element's interface that is used here. */
export interface XmlElement {
  localName: string;
  textContent: string;
  children: Iterable<XmlElement>;
  getAttributeNode(name: string): { value: string } | null;
  querySelectorAll(selector: string): Iterable<XmlElement>;
}

/** Parses XML. Throws for dangerous entities; entities are never expanded. */
export function parseXml(bytes: Uint8Array): XmlElement {
  const { text } = decodeText(bytes, undefined);
  refuseEntities(text);
  return new DOMParser().parseFromString(text, 'text/xml') as unknown as XmlElement;
}

/** Returns all descendants with a local name, in any namespace. */
export function descendants(root: XmlElement, name: string): XmlElement[] {
  return [...root.querySelectorAll('*')].filter((element) => localName(element) === name);
}

export function childrenNamed(root: XmlElement, name: string): XmlElement[] {
  return [...root.children].filter((element) => localName(element) === name);
}

/** Returns an attribute without entities. `getAttribute` of linkedom would return `a&amp;b` for it. */
export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  return element?.getAttributeNode(name)?.value;
}

export function localName({ localName: name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Throws for entities that refer to other entities (exponential growth) or to files. Named characters are allowed. */
export function refuseEntities(text: string): void {
  for (const [declaration] of text.matchAll(/<!ENTITY[^>]*/gi)) {
    if (/^<!ENTITY\s+%|\b(SYSTEM|PUBLIC)\b|[&%][A-Za-z_]/i.test(declaration)) {
      throw unsafe('contains dangerous XML entities');
    }
  }
}

const EMPTY_ELEMENT = /<([A-Za-z][\w.:-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/>/g;
const HTML_VOID = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** Prefixes under which books write MathML and SVG. An HTML parser knows the names without a prefix. */
const PREFIX = /<(\/?)(?:m|mml|math|svg):(?=[a-z])/gi;

const DOCTYPE = /<!DOCTYPE[^>[]*(\[[^\]]*\]\s*)?>/i;

/** Matches comments, scripts and styles, and the sections of CDATA outside them. What never ends goes to the end of the text. */
const CDATA =
  /<!--.*?(?:-->|$)|<(script|style)\b[^<>]*(?:(?<=\/)>|>.*?(?:<\/\1\s*>|$))|<!\[CDATA\[(.*?)(?:\]\]>|$)/gis;

/**
 * Converts XHTML for an HTML parser. In HTML, `<title/>` is not self-closing and would contain the rest of the page, a
 * document type ends at the first `>` inside it, and a section of CDATA is a comment.
 */
export function asHtml(xhtml: string): string {
  return xhtml
    .replace(DOCTYPE, '')
    .replace(CDATA, (whole, _element, text?: string) => (text === undefined ? whole : escapeText(text)))
    .replace(PREFIX, '<$1')
    .replace(EMPTY_ELEMENT, (whole, name: string, attributes: string) =>
      HTML_VOID.test(name) ? whole : `<${name}${attributes}></${name}>`,
    );
}
