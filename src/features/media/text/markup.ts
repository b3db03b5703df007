import { type DefaultTreeAdapterMap, defaultTreeAdapter, html, parseFragment } from 'parse5';

export type Node = DefaultTreeAdapterMap['childNode'];
export type Element = DefaultTreeAdapterMap['element'];

/** Parses HTML like a browser with scripts disabled: the content of `noscript` is content. */
export function parseMarkup(text: string): Node[] {
  const block = defaultTreeAdapter.createElement('div', html.NS.HTML, []);
  return parseFragment(block, text, { scriptingEnabled: false }).childNodes;
}

export function isElement(node: Node): node is Element {
  return 'tagName' in node;
}

/** Whether a node is an HTML element. Elements of SVG and MathML are not. */
export function isHtml(element: Element): boolean {
  return element.namespaceURI === html.NS.HTML;
}

export function isMathMl(element: Element): boolean {
  return element.namespaceURI === html.NS.MATHML;
}

export function isSvg(element: Element): boolean {
  return element.namespaceURI === html.NS.SVG;
}

export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

/** Calls `enter` for every node, and `leave` for every element that was entered. */
interface Visitor {
  text(value: string): void;
  /** Returns false to skip the element and its content. */
  enter(element: Element): boolean;
  leave(element: Element): void;
}

/** Uses an explicit stack, because documents may be nested deeper than the call stack allows. */
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

/** Returns the text of some nodes without that of scripts and styles. White space is collapsed, except for no-break spaces. */
export function textOf(nodes: Node[]): string {
  const parts: string[] = [];
  walk(nodes, {
    text: (value) => void parts.push(value),
    enter: ({ tagName }) => tagName !== 'script' && tagName !== 'style',
    leave: () => undefined,
  });
  return parts
    .join('')
    .replace(/[ \t\r\n\f]+/g, ' ')
    .replace(/^ | $/g, '');
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}
