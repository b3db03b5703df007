import { identify, inferKind, LONGEST_URL, parseMediaUrl } from '../media/saving/url.ts';
import { attribute, parseMarkup, walk } from '../media/text/markup.ts';
import { type Entity, extractEntities } from './entities.ts';

/** The part of a document that its projection depends on. */
export interface GraphSource {
  text: string;
  language: string | null;
  html: string[];
}

export interface Projection {
  entities: Entity[];
  links: string[];
}

/** The tasks of a projection process. */
export const projectionWork = {
  project: (sources: GraphSource[]): Projection[] =>
    sources.map(({ text, language, html }) => ({
      entities: extractEntities(text, language),
      links: linksOf(html),
    })),
};

/** The most links of a document. A page with more links to everything. */
const MOST_LINKS = 500;

/** Returns the canonical addresses that a document links to, in the order of the document. */
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

/** Returns the canonical address of a link; undefined when Nexus does not save it. */
function canonical(href: string | undefined): string | undefined {
  if (href === undefined) return undefined;
  try {
    const url = parseMediaUrl(href);
    const { canonical_url } = identify(inferKind(url), url);
    return Buffer.byteLength(canonical_url) <= LONGEST_URL ? canonical_url : undefined;
  } catch {
    // A link that Nexus does not save cannot lead to a known media.
    return undefined;
  }
}
