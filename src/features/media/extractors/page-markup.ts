import type { Element, Node } from '../text/markup.ts';
import { type PageChild, PageText } from './page-dom.ts';

/** The attribute of an element that stands for a formula: its index among the formulas of the page. */
export const FORMULA = 'data-formula';

/** Converts a node for the sanitiser, without serialising and parsing it again. Puts the formulas in their places. */
export function fromPage(node: PageChild, formulas: readonly Element[] = []): Node {
  if (node instanceof PageText) return { nodeName: '#text', value: node.data } as Node;
  const formula =
    formulas.length > 0 ? formulas[Number(node.getAttribute(FORMULA) ?? Number.NaN)] : undefined;
  if (formula) return formula;
  return {
    nodeName: node.localName,
    tagName: node.localName,
    namespaceURI: node.namespaceURI,
    attrs: node.attributes,
    get childNodes() {
      if (node.source !== '') return [{ nodeName: '#text', value: node.source }];
      return node.childNodes.map((child) => fromPage(child, formulas));
    },
  } as unknown as Node;
}
