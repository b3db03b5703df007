/** The part of a media that a link leads to. */
export interface Visited {
  /** The index of a fragment. */
  at?: number;
  /** The id of an element in it. */
  to?: string;
  /** Words to mark. */
  q?: string;
  /** The character of the fragment from which on the first mark is looked for. */
  from?: number;
  /** The id of a highlight to open. */
  highlight?: string;
}

/** Reads the parameters of the reader's address. */
export function readVisited(search: Record<string, unknown>): Visited {
  const { at, to, q, from, highlight } = search;
  return {
    ...(isIndex(at) && { at }),
    ...(isIndex(from) && { from }),
    ...(typeof to === 'string' && to !== '' && { to }),
    ...(typeof highlight === 'string' && highlight !== '' && { highlight }),
    ...((typeof q === 'string' || typeof q === 'number') && q !== '' && { q: String(q) }),
  };
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
