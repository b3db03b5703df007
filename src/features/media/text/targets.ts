import { parseUrl } from '../../../platform/url.ts';
import { attribute, type Element, type Node, textOf, walk } from './markup.ts';

/** Keeps the ids of a page apart from those of the app. */
const PREFIX = 'n-';

const ID = /^[^\s\0]{1,200}$/;

/** The addresses by which links refer to their own page. */
interface PageAddress {
  baseUrl?: string | undefined;
  pageUrls?: string[];
}

/** Returns the id under which an element is in the reader. */
export function targetId(id: string): string {
  return id.startsWith(PREFIX) ? id : PREFIX + id;
}

/** Returns the id of an element, or the name of an old anchor. */
export function idOf(element: Element): string | undefined {
  const id = attribute(element, 'id') ?? (element.tagName === 'a' ? attribute(element, 'name') : undefined);
  return id !== undefined && ID.test(id) ? id : undefined;
}

/** Returns the id that a link within its page leads to; undefined for other links. */
export function fragmentOf(href: string | undefined, page: PageAddress): string | undefined {
  const address = href?.trim() ?? '';
  if (!address.includes('#')) return undefined;
  if (address.startsWith('#')) return decoded(address.slice(1));
  const url = parseUrl(address, page.baseUrl);
  const pages = page.pageUrls ?? (page.baseUrl === undefined ? [] : [page.baseUrl]);
  const isOwn = url && pages.some((own) => withoutHash(own) === withoutHash(url.href));
  return isOwn ? decoded(url.hash.slice(1)) : undefined;
}

function withoutHash(url: string): string {
  const hash = url.indexOf('#');
  return hash < 0 ? url : url.slice(0, hash);
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Finds the ids of elements that links in the same nodes lead to. */
export function findTargets(
  nodes: Node[],
  page: PageAddress,
  { isShown, isKept }: Record<'isShown' | 'isKept', (element: Element) => boolean>,
): Set<string> {
  const linked = new Set<string>();
  const ids = new Set<string>();
  walk(nodes, {
    text: () => undefined,
    enter(element) {
      if (!isShown(element)) return false;
      const id = isKept(element) ? idOf(element) : undefined;
      if (id !== undefined) ids.add(id);
      const target = element.tagName === 'a' ? fragmentOf(attribute(element, 'href'), page) : undefined;
      if (target !== undefined) linked.add(target);
      return true;
    },
    leave: () => undefined,
  });
  return new Set([...linked].filter((id) => ids.has(id)));
}

/** Matches the ids of references, which the links back from notes lead to: `cite_ref-1`, `fnref:1`, `_ftnref1`. */
const REFERENCE_ID = /(cite_|fn|footnote|ftn|note|back|edn)ref/i;

/** Whether a link within the page refers to a note: it says so, or it is a superscript. */
export function isNoteReference(link: Element, parent: Element | undefined): boolean {
  if (attribute(link, 'data-note') !== undefined) return true;
  const roles = `${attribute(link, 'role') ?? ''} ${attribute(link, 'epub:type') ?? ''}`;
  if (/\bbacklink\b/.test(roles) || REFERENCE_ID.test(attribute(link, 'href') ?? '')) return false;
  return /\bnoteref\b/.test(roles) || parent?.tagName === 'sup' || isSuperscript(link);
}

/** Whether all words of an element are in one superscript. */
function isSuperscript({ childNodes }: Element): boolean {
  let raised: string | undefined;
  walk(childNodes, {
    text: () => undefined,
    enter(element) {
      if (element.tagName === 'sup') raised ??= textOf(element.childNodes);
      return raised === undefined;
    },
    leave: () => undefined,
  });
  return raised !== undefined && raised !== '' && raised === textOf(childNodes);
}
