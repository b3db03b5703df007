import type { MediaWithOutline } from '../api/types.ts';

/** A position in a media: a fragment, a block in it and a share of the block; a page and a share of it; or seconds. */
export interface ReadingPosition {
  fragment?: number;
  block?: number;
  page?: number;
  offset?: number;
  seconds?: number;
}

/** How far the person has read. */
export interface Place {
  progress: number;
  position: ReadingPosition;
}

/** Returns the place that the server has; undefined for a media that was never opened. */
export function placeOf({ reading }: Pick<MediaWithOutline, 'reading'>): Place | undefined {
  if (!reading) return undefined;
  const { progress, position } = reading;
  const isKnown = typeof position === 'object' && position !== null;
  return { progress, position: isKnown ? (position as ReadingPosition) : {} };
}

export function isSamePosition(one: ReadingPosition, other: ReadingPosition): boolean {
  const names = ['fragment', 'block', 'page', 'offset', 'seconds'] as const;
  return names.every((name) => one[name] === other[name]);
}
