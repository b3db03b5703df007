import type { MouseEvent } from 'react';

/** Matches links within a media: to a fragment, to an element, or to an element of a fragment. */
const LINK = /^#(?:fragment-(?<fragment>\d+))?\/?(?<element>n-.+)?$/;

/** Reads a link within a media, as the server writes them. */
export function readLink(href: string): { fragment: number | undefined; element: string | undefined } {
  const { fragment, element } = LINK.exec(href)?.groups ?? {};
  return {
    fragment: fragment === undefined ? undefined : Number(fragment),
    // The only character that the server escapes.
    element: element?.replaceAll('%25', '%'),
  };
}

/** Returns a handler of clicks that follows the links within a media. */
export function followLinks(onFollow: (href: string) => void) {
  return (event: MouseEvent) => {
    const href = (event.target as Element).closest('a[href^="#"]')?.getAttribute('href');
    if (!href) return;
    event.preventDefault();
    onFollow(href);
  };
}
