import { attribute, type Element, isElement } from './markup.ts';

/** Where pages put the address of an image that a script loads later. */
const LAZY = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'data-actualsrc', 'data-hi-res-src'];
const LAZY_SETS = ['data-srcset', 'data-lazy-srcset'];

/** The width that a reader shows on a sharp screen. Larger images only take longer. */
const WIDEST = 1600;

/** Returns the address of an image, also in a `picture`: of its best size, and not of a placeholder. */
export function imageSource(image: Element, picture: Element | undefined): string | undefined {
  const sets = [...LAZY_SETS, 'srcset'].map((name) => attribute(image, name));
  for (const { tagName, attrs } of picture?.childNodes.filter(isElement) ?? []) {
    if (tagName !== 'source') continue;
    sets.push(...attrs.filter(({ name }) => /srcset$/.test(name)).map(({ value }) => value));
  }
  const best = sets.map((set) => set && bestOf(set)).find((address) => address);
  if (best) return best;
  const lazy = LAZY.map((name) => attribute(image, name)?.trim()).find((address) => address);
  return lazy || attribute(image, 'src');
}

/** Returns the widest address of a `srcset` up to `WIDEST`, or the narrowest above it. */
function bestOf(set: string): string | undefined {
  const candidates = [...set.matchAll(CANDIDATE)].map(([, url = '', number = '1', unit = 'x']) => ({
    url,
    // A density counts from the width of a column.
    width: unit === 'w' ? Number(number) : Number(number) * 800,
  }));
  const usable = candidates
    .filter(({ url }) => url !== '' && !url.startsWith('data:'))
    .sort((a, b) => a.width - b.width);
  return (usable.findLast(({ width }) => width <= WIDEST) ?? usable[0])?.url;
}

/** Matches an address, which may contain commas, and its width or density. */
const CANDIDATE = /([^\s,]\S*[^\s,]|[^\s,])(?:\s+([\d.]+)([wx]))?\s*(?:,|$)/g;
