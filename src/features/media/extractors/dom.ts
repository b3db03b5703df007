import { html } from 'parse5';
import type { Node } from '../markup.ts';

/** The little that is needed of a node of linkedom. */
export interface DomNode {
  nodeType: number;
  localName: string;
  data?: string;
  attributes?: Iterable<{ name: string; value: string }>;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
}

const TEXT = 3;

/** The node as the parser of this feature would have made it, without writing it out and parsing it again. */
export function fromDom(node: DomNode): Node {
  if (node.nodeType === TEXT) return { nodeName: '#text', value: node.data ?? '' } as Node;
  if (!node.attributes) return { nodeName: '#comment' } as Node;
  return {
    nodeName: node.localName,
    tagName: node.localName,
    namespaceURI: html.NS.HTML,
    attrs: [...node.attributes].map(({ name, value }) => ({ name, value })),
    get childNodes() {
      const children: Node[] = [];
      for (let child = node.firstChild; child; child = child.nextSibling) children.push(fromDom(child));
      return children;
    },
  } as unknown as Node;
}
