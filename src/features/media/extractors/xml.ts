import { DOMParser } from 'linkedom';
import { decodeText } from '../../../platform/egress/charset.ts';
import { unsafe } from './archive.ts';

/** The part of an XML element that is used. */
export interface XmlElement {
  localName: string;
  textContent: string;
  children: Iterable<XmlElement>;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<XmlElement>;
}

/** Parses XML. Entities are never expanded; definitions of dangerous ones are refused. */
export function parseXml(bytes: Uint8Array): XmlElement {
  const { text } = decodeText(bytes, undefined);
  refuseEntities(text);
  return new DOMParser().parseFromString(text, 'text/xml') as unknown as XmlElement;
}

/** Returns all descendants of this name, whatever the prefix of their namespace. */
export function descendants(root: XmlElement, name: string): XmlElement[] {
  return [...root.querySelectorAll('*')].filter((element) => localName(element) === name);
}

export function childrenNamed(root: XmlElement, name: string): XmlElement[] {
  return [...root.children].filter((element) => localName(element) === name);
}

export function localName({ localName: name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1);
}

/** An entity made of others grows without bounds, and an external one reads files. Named characters do neither. */
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
 * Converts XHTML for an HTML parser, for which `<title/>` would swallow the rest of the page and a document type ends
 * at the first bracket in it.
 */
export function asHtml(xhtml: string): string {
  return xhtml
    .replace(DOCTYPE, '')
    .replace(EMPTY_ELEMENT, (whole, name: string, attributes: string) =>
      HTML_VOID.test(name) ? whole : `<${name}${attributes}></${name}>`,
    );
}
