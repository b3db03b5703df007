import type { MediaWithOutline } from '../api/types.ts';

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|ks|nqo|ps|sd|ug|ur|yi)(-|$)/i;

/** The direction of a text. Where its language does not say it, the browser decides by the text. */
export function textDirection(language: string | null): 'rtl' | 'auto' {
  return language && RIGHT_TO_LEFT.test(language) ? 'rtl' : 'auto';
}

/** Whether one reads on to the left: pages turn and progress grows in that direction. */
export function isRightToLeft({ book, language }: Pick<MediaWithOutline, 'book' | 'language'>): boolean {
  return book?.direction === 'rtl' || textDirection(language) === 'rtl';
}
