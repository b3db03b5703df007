/** The part of jsdom that tests use. Its own types would bring the globals of browsers into every file. */
declare module 'jsdom' {
  export interface DomNode {
    nodeType: number;
    nodeValue: string | null;
    localName: string;
    namespaceURI: string | null;
    attributes: Iterable<{ name: string; value: string }>;
    childNodes: Iterable<DomNode>;
  }

  export class JSDOM {
    constructor(html: string, options: { url: string });
    window: { document: DomNode };
  }
}
