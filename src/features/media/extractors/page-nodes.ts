import type { Node } from '../text/markup.ts';
import { type PageChild, PageText } from './page-dom.ts';

/** Converts a node for the sanitiser, without serialising and parsing it. */
export function fromPage(node: PageChild): Node {
  if (node instanceof PageText) return { nodeName: '#text', value: node.data } as Node;
  return {
    nodeName: node.localName,
    tagName: node.localName,
    namespaceURI: node.namespaceURI,
    attrs: node.attributes,
    get childNodes() {
      return node.childNodes.map(fromPage);
    },
  } as unknown as Node;
}
