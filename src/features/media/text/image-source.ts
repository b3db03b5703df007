import { IMAGE_TYPES } from '../files/image.ts';
import { attribute, type Element, isElement } from './markup.ts';

/** Where pages put the address of an image that a script loads later. */
const LAZY = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'data-actualsrc', 'data-hi-res-src'];
const LAZY_SETS = ['data-srcset', 'data-lazy-srcset'];

/** The width that a reader shows on a sharp screen. Larger images only take longer. */
const WIDEST = 1600;

/** Returns the address of an image, also in a `picture`: of its best size, and not of a placeholder. */
export function imageSource(image: Element, picture: Element | undefined): string | undefined {
  const sets = [...LAZY_SETS, 'srcset'].map((name) => attribute(image, name));
  for (const source of picture?.childNodes.filter(isElement) ?? []) {
    if (source.tagName !== 'source' || !isUsable(source)) continue;
    sets.push(...source.attrs.filter(({ name }) => /srcset$/.test(name)).map(({ value }) => value));
  }
  const best = sets.map((set) => set && bestOf(set)).find((address) => address);
  if (best) return best;
  const lazy = LAZY.map((name) => attribute(image, name)?.trim()).find((address) => address);
  return lazy || attribute(image, 'src');
}

/** Media queries of images for dark screens, for paper, or for people who want no animations. The usual image is another. */
const UNUSUAL = /prefers-color-scheme\s*:\s*dark|prefers-reduced-motion|^\s*(only\s+)?print\b/i;

/** Types that can be stored; `jpg` and `apng` are other names for what they contain. */
const STORABLE = new Set([...IMAGE_TYPES, 'image/jpg', 'image/apng']);

function isUsable(source: Element): boolean {
  const [type = ''] = (attribute(source, 'type') ?? '').toLowerCase().split(';');
  return (type.trim() === '' || STORABLE.has(type.trim())) && !UNUSUAL.test(attribute(source, 'media') ?? '');
}

/** Returns the widest address of a `srcset` up to `WIDEST`, or the narrowest above it. */
function bestOf(set: string): string | undefined {
  const usable = [...candidatesOf(set)]
    .filter(({ url }) => !url.startsWith('data:'))
    .sort((a, b) => a.width - b.width);
  return (usable.findLast(({ width }) => width <= WIDEST) ?? usable[0])?.url;
}

/**
 * Reads a `srcset` as the HTML standard says: an address ends at a space, because it may contain commas, and its
 * descriptors end at a comma. One pattern for all of it took quadratic time.
 */
function* candidatesOf(set: string): Iterable<{ url: string; width: number }> {
  const address = /[^\s,]\S*/g;
  for (let match = address.exec(set); match; match = address.exec(set)) {
    let [url] = match;
    let descriptors = '';
    if (url.endsWith(',')) {
      while (url.endsWith(',')) url = url.slice(0, -1);
    } else {
      const comma = set.indexOf(',', address.lastIndex);
      const end = comma === -1 ? set.length : comma;
      descriptors = set.slice(address.lastIndex, end);
      address.lastIndex = end;
    }
    const size = descriptors.split(/\s+/).find((word) => /^[\d.]+[wx]$/.test(word)) ?? '1x';
    // A density counts from the width of a column.
    yield { url, width: Number.parseFloat(size) * (size.endsWith('w') ? 1 : 800) };
  }
}
