import { type DefaultTreeAdapterMap, defaultTreeAdapter, html, parse, parseFragment } from 'parse5';

export type Node = DefaultTreeAdapterMap['childNode'];
export type Element = DefaultTreeAdapterMap['element'];

/** As browsers parse what is put into a page, but without scripts: what stands in `noscript` is content. */
export function parseMarkup(text: string): Node[] {
  const block = defaultTreeAdapter.createElement('div', html.NS.HTML, []);
  return parseFragment(block, text, { scriptingEnabled: false }).childNodes;
}

/** The content of the body of a whole document. */
export function parseBody(text: string): Node[] {
  const root = parse(text, { scriptingEnabled: false }).childNodes.find(isElement);
  return root?.childNodes.filter(isElement).find(({ tagName }) => tagName === 'body')?.childNodes ?? [];
}

export function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

/** Elements of SVG and MathML are none. */
export function isHtml(element: Element): boolean {
  return element.namespaceURI === html.NS.HTML;
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

/** Calls back for every node on entering it, and for every element that was entered on leaving it. */
export interface Visitor {
  text(value: string): void;
  /** False leaves out the element with all that is in it. */
  enter(element: Element): boolean;
  leave(element: Element): void;
}

/** With a stack of its own: a document may be nested deeper than calls can be. */
export function walk(nodes: Node[], visitor: Visitor): void {
  const stack: (Node | { leaving: Element })[] = nodes.toReversed();
  for (let next = stack.pop(); next; next = stack.pop()) {
    if ('leaving' in next) visitor.leave(next.leaving);
    else if (next.nodeName === '#text') visitor.text((next as DefaultTreeAdapterMap['textNode']).value);
    else if (isElement(next) && visitor.enter(next)) {
      stack.push({ leaving: next });
      const { childNodes } = next;
      for (let index = childNodes.length - 1; index >= 0; index--) {
        const child = childNodes[index];
        if (child) stack.push(child);
      }
    }
  }
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}
