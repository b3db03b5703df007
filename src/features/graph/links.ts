import { identify, inferKind, LONGEST_URL, parseMediaUrl } from '../media/saving/url.ts';
import { attribute, parseMarkup, walk } from '../media/text/markup.ts';

/** A page of links links to everything. */
const MOST_LINKS = 500;

/** Where a document links to, as the canonical addresses that media are known by. In the order of the document. */
export function linksOf(html: string[]): string[] {
  const found = new Set<string>();
  for (const fragment of html) {
    walk(parseMarkup(fragment), {
      text: () => {},
      leave: () => {},
      enter(element) {
        const address = element.tagName === 'a' ? canonical(attribute(element, 'href')) : undefined;
        if (address !== undefined && found.size < MOST_LINKS) found.add(address);
        return true;
      },
    });
  }
  return [...found];
}

/** What saving the link would make of it; undefined for what cannot be saved. */
function canonical(href: string | undefined): string | undefined {
  if (href === undefined) return undefined;
  try {
    const url = parseMediaUrl(href);
    const { canonical_url } = identify(inferKind(url), url);
    return Buffer.byteLength(canonical_url) <= LONGEST_URL ? canonical_url : undefined;
  } catch {
    // A link that Nexus does not save leads to nothing that it knows.
    return undefined;
  }
}
