import {
  html,
  type ParserOptions,
  parse,
  parseFragment,
  serialize,
  type TreeAdapter,
  type TreeAdapterTypeMap,
} from 'parse5';

/**
 * The part of the DOM that Readability uses, built directly by the parser. A full DOM spends most of its time on features
 * that are not needed here: on the benchmark's pages, Readability takes less than half the time that it takes on linkedom.
 */

const ELEMENT = 1;
const TEXT = 3;
const DOCUMENT = 9;

class PageAttribute {
  readonly name: string;
  value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }

  cloneNode(): PageAttribute {
    return new PageAttribute(this.name, this.value);
  }
}

abstract class PageNode {
  abstract readonly nodeType: number;
  abstract readonly nodeName: string;
  abstract readonly textContent: string;
  parentNode: PageParent | null = null;
  previousSibling: PageChild | null = null;
  nextSibling: PageChild | null = null;

  get nextElementSibling(): PageElement | null {
    let node = this.nextSibling;
    while (node && !(node instanceof PageElement)) node = node.nextSibling;
    return node;
  }

  get previousElementSibling(): PageElement | null {
    let node = this.previousSibling;
    while (node && !(node instanceof PageElement)) node = node.previousSibling;
    return node;
  }

  remove(): void {
    this.parentNode?.removeChild(this as unknown as PageChild);
  }
}

export class PageText extends PageNode {
  readonly nodeType = TEXT;
  readonly nodeName = '#text';
  readonly childNodes: PageChild[] = [];
  data: string;

  constructor(data: string) {
    super();
    this.data = data;
  }

  get textContent(): string {
    return this.data;
  }
}

abstract class PageParent extends PageNode {
  firstChild: PageChild | null = null;
  lastChild: PageChild | null = null;

  get childNodes(): PageChild[] {
    const nodes: PageChild[] = [];
    for (let node = this.firstChild; node; node = node.nextSibling) nodes.push(node);
    return nodes;
  }

  get children(): PageElement[] {
    const elements: PageElement[] = [];
    for (let node = this.firstElementChild; node; node = node.nextElementSibling) elements.push(node);
    return elements;
  }

  get firstElementChild(): PageElement | null {
    return this.firstChild instanceof PageElement
      ? this.firstChild
      : (this.firstChild?.nextElementSibling ?? null);
  }

  get textContent(): string {
    let text = '';
    for (let node = this.firstChild; node; node = following(node, this))
      if (node instanceof PageText) text += node.data;
    return text;
  }

  get innerHTML(): string {
    return serialize(this, { treeAdapter });
  }

  set innerHTML(markup: string) {
    while (this.firstChild) this.removeChild(this.firstChild);
    const context = this instanceof PageElement ? this : null;
    const parsed = parseFragment(context, markup, PARSING);
    while (parsed.firstChild) this.appendChild(parsed.firstChild);
  }

  appendChild<N extends PageChild>(node: N): N {
    return this.insertBefore(node, null);
  }

  insertBefore<N extends PageChild>(node: N, next: PageChild | null): N {
    node.remove();
    const previous = next ? next.previousSibling : this.lastChild;
    node.parentNode = this;
    node.previousSibling = previous;
    node.nextSibling = next;
    if (previous) previous.nextSibling = node;
    else this.firstChild = node;
    if (next) next.previousSibling = node;
    else this.lastChild = node;
    return node;
  }

  removeChild<N extends PageChild>(node: N): N {
    const { previousSibling, nextSibling } = node;
    if (previousSibling) previousSibling.nextSibling = nextSibling;
    else this.firstChild = nextSibling;
    if (nextSibling) nextSibling.previousSibling = previousSibling;
    else this.lastChild = previousSibling;
    node.parentNode = null;
    node.previousSibling = null;
    node.nextSibling = null;
    return node;
  }

  replaceChild<N extends PageChild>(node: PageChild, old: N): N {
    this.insertBefore(node, old);
    return this.removeChild(old);
  }

  getElementsByTagName(name: string): PageElement[] {
    return this.querySelectorAll(name);
  }

  /** Supports `*` and lists of element names. Readability uses no other selectors. */
  querySelectorAll(names: string): PageElement[] {
    const wanted = names === '*' ? undefined : new Set(names.toLowerCase().split(','));
    const found: PageElement[] = [];
    for (let node = this.firstChild; node; node = following(node, this))
      if (node instanceof PageElement && (!wanted || wanted.has(node.localName))) found.push(node);
    return found;
  }
}

const VISIBLE = { display: '', visibility: '' };

export class PageElement extends PageParent {
  readonly nodeType = ELEMENT;
  readonly localName: string;
  readonly tagName: string;
  readonly namespaceURI: html.NS;
  attributes: PageAttribute[];
  /** The text of a formula's script or of a style, which is not part of the text of the page. */
  source = '';
  /** Readability stores its score here. */
  readability: unknown = undefined;

  constructor(localName: string, namespaceURI: html.NS, attributes: PageAttribute[]) {
    super();
    this.localName = localName;
    this.tagName = namespaceURI === html.NS.HTML ? localName.toUpperCase() : localName;
    this.namespaceURI = namespaceURI;
    this.attributes = attributes;
  }

  get nodeName(): string {
    return this.tagName;
  }

  /** Readability uses it only to create elements, which do not depend on the document. */
  get ownerDocument(): PageDocument {
    return ELEMENT_FACTORY;
  }

  getAttribute(name: string): string | null {
    return this.attributes.find((attribute) => attribute.name === name)?.value ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.attributes.some((attribute) => attribute.name === name);
  }

  setAttribute(name: string, value: string): void {
    this.setAttributeNode(new PageAttribute(name, value));
  }

  setAttributeNode(attribute: PageAttribute): void {
    const known = this.attributes.find(({ name }) => name === attribute.name);
    if (known) known.value = attribute.value;
    else this.attributes.push(attribute);
  }

  removeAttribute(name: string): void {
    this.attributes = this.attributes.filter((attribute) => attribute.name !== name);
  }

  get id(): string {
    return this.getAttribute('id') ?? '';
  }

  /** Readability marks its own elements with an id, and keeps those. */
  set id(value: string) {
    this.setAttribute('id', value);
  }

  get className(): string {
    return this.getAttribute('class') ?? '';
  }

  set className(value: string) {
    this.setAttribute('class', value);
  }

  get src(): string {
    return this.getAttribute('src') ?? '';
  }

  get srcset(): string {
    return this.getAttribute('srcset') ?? '';
  }

  get style(): { display: string; visibility: string } {
    const style = this.getAttribute('style');
    if (!style) return VISIBLE;
    const declared = (property: string) =>
      new RegExp(`(?:^|;)\\s*${property}\\s*:\\s*([a-z-]+)`, 'i').exec(style)?.[1]?.toLowerCase() ?? '';
    return { display: declared('display'), visibility: declared('visibility') };
  }
}

export class PageDocument extends PageParent {
  readonly nodeType = DOCUMENT;
  readonly nodeName = '#document';
  /** The base of relative addresses in the page. */
  baseURI: string | undefined = undefined;

  get documentURI(): string | undefined {
    return this.baseURI;
  }

  get documentElement(): PageElement | null {
    return this.firstElementChild;
  }

  get body(): PageElement | null {
    return this.documentElement?.children.find(({ localName }) => localName === 'body') ?? null;
  }

  get title(): string {
    return this.querySelectorAll('title')[0]?.textContent.replace(/\s+/g, ' ').trim() ?? '';
  }

  createElement(name: string): PageElement {
    return new PageElement(name.toLowerCase(), html.NS.HTML, []);
  }

  createTextNode(data: string): PageText {
    return new PageText(data);
  }
}

const ELEMENT_FACTORY = new PageDocument();

export type PageChild = PageText | PageElement;

/** Parses a page like a browser with scripts disabled, so the content of `noscript` is included. */
export function parsePage(text: string): PageDocument {
  return parse(text, PARSING);
}

/** Returns the next node below `root` in document order. Not recursive, because pages may be nested very deeply. */
function following(node: PageChild, root: PageParent): PageChild | null {
  if (node instanceof PageElement && node.firstChild) return node.firstChild;
  let from: PageNode = node;
  while (!from.nextSibling) {
    if (!from.parentNode || from.parentNode === root) return null;
    from = from.parentNode;
  }
  return from.nextSibling;
}

interface PageTypes extends TreeAdapterTypeMap {
  node: PageNode;
  parentNode: PageParent;
  childNode: PageChild;
  document: PageDocument;
  documentFragment: PageDocument;
  element: PageElement;
  textNode: PageText;
  template: PageElement;
}

/** Whether to skip the text of an element: scripts and styles, except JSON-LD metadata. */
function isSkipped(parent: PageParent): parent is PageElement {
  if (!(parent instanceof PageElement)) return false;
  if (parent.localName === 'style') return true;
  return parent.localName === 'script' && parent.getAttribute('type') !== 'application/ld+json';
}

/** Whether the text of a skipped element is needed: of scripts with formulas, and of styles. */
function hasSource(element: PageElement): boolean {
  if (element.localName === 'style') return true;
  return /^math\//i.test(element.getAttribute('type') ?? '');
}

const nothing = () => undefined;
const isNever = (_node: PageNode): _node is never => false;

const treeAdapter: TreeAdapter<PageTypes> = {
  createDocument: () => new PageDocument(),
  createDocumentFragment: () => new PageDocument(),
  createElement: (name, namespace, attributes) =>
    new PageElement(
      name,
      namespace,
      attributes.map((attribute) => new PageAttribute(attribute.name, attribute.value)),
    ),
  createTextNode: (value) => new PageText(value),
  createCommentNode: () => new PageText(''),
  appendChild: (parent, node) => void parent.appendChild(node),
  insertBefore: (parent, node, next) => void parent.insertBefore(node, next),
  detachNode: (node) => node.remove(),
  insertText(parent, text) {
    if (isSkipped(parent)) {
      if (hasSource(parent)) parent.source += text;
      return;
    }
    if (parent.lastChild instanceof PageText) parent.lastChild.data += text;
    else parent.appendChild(new PageText(text));
  },
  insertTextBefore(parent, text, next) {
    const previous = next.previousSibling;
    if (previous instanceof PageText) previous.data += text;
    else parent.insertBefore(new PageText(text), next);
  },
  adoptAttributes(element, attributes) {
    for (const { name, value } of attributes)
      if (!element.hasAttribute(name)) element.attributes.push(new PageAttribute(name, value));
  },
  // The content of a template is not part of the page.
  setTemplateContent: nothing,
  getTemplateContent: () => new PageDocument(),
  setDocumentType: nothing,
  setDocumentMode: nothing,
  getDocumentMode: () => html.DOCUMENT_MODE.NO_QUIRKS,
  getFirstChild: (node) => node.firstChild,
  getChildNodes: (node) => node.childNodes,
  getParentNode: (node) => node.parentNode,
  getAttrList: (element) => element.attributes,
  getTagName: (element) => element.localName,
  getNamespaceURI: (element) => element.namespaceURI,
  getTextNodeContent: (node) => node.data,
  getCommentNodeContent: () => '',
  getDocumentTypeNodeName: () => '',
  getDocumentTypeNodePublicId: () => '',
  getDocumentTypeNodeSystemId: () => '',
  isTextNode: (node) => node instanceof PageText,
  isElementNode: (node) => node instanceof PageElement,
  isCommentNode: isNever,
  isDocumentTypeNode: isNever,
  setNodeSourceCodeLocation: nothing,
  getNodeSourceCodeLocation: () => null,
  updateNodeSourceCodeLocation: nothing,
};

const PARSING = { treeAdapter, scriptingEnabled: false } satisfies ParserOptions<PageTypes>;
