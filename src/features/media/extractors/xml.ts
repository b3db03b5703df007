import { DOMParser } from 'linkedom';
import { decodeText } from '../../../platform/egress/charset.ts';
import { unsafe } from './archive.ts';

/** The little that is needed of an element of XML. */
export interface XmlElement {
  localName: string;
  textContent: string;
  children: Iterable<XmlElement>;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<XmlElement>;
}

/** Entities are never expanded; what defines dangerous ones is refused. */
export function parseXml(bytes: Uint8Array): XmlElement {
  const { text } = decodeText(bytes, undefined);
  refuseEntities(text);
  return new DOMParser().parseFromString(text, 'text/xml') as unknown as XmlElement;
}

/** All elements of this name below another, whatever prefix their namespace has. */
export function descendants(root: XmlElement, name: string): XmlElement[] {
  return [...root.querySelectorAll('*')].filter((element) => localName(element) === name);
}

export function childrenNamed(root: XmlElement, name: string): XmlElement[] {
  return [...root.children].filter((element) => localName(element) === name);
}

export function localName({ localName: name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1);
}

/** An entity made of others grows without bounds; an external one reads files. Characters with a name do neither. */
export function refuseEntities(text: string): void {
  for (const [declaration] of text.matchAll(/<!ENTITY[^>]*/gi)) {
    if (/^<!ENTITY\s+%|\b(SYSTEM|PUBLIC)\b|[&%][A-Za-z_]/i.test(declaration)) {
      throw unsafe('holds a document with entities that grow or read files');
    }
  }
}

const EMPTY_ELEMENT = /<([A-Za-z][\w.:-]*)((?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/>/g;
const HTML_VOID = /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

const DOCTYPE = /<!DOCTYPE[^>[]*(\[[^\]]*\]\s*)?>/i;

/**
 * XHTML so that a parser of HTML understands it: there `<title/>` is not whole but swallows the rest of the page, and a
 * document type ends at the first bracket within it.
 */
export function asHtml(xhtml: string): string {
  return xhtml
    .replace(DOCTYPE, '')
    .replace(EMPTY_ELEMENT, (whole, name: string, attributes: string) =>
      HTML_VOID.test(name) ? whole : `<${name}${attributes}></${name}>`,
    );
}
