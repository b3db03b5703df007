/*
 * Characters that `search_form` in the database treats in a way of its own, as parts of a character class. They must be the
 * same there and here.
 */

/** Characters of scripts without spaces between words. Each is a word. */
export const UNSPACED = '\\u0e00-\\u0e7f\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff';

/** Characters inside words that nobody sees: soft hyphens, joiners, direction marks, variation selectors. */
export const INVISIBLE =
  '\\u00ad\\u061c\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff\\u{e0000}-\\u{e01ef}';

const EACH_INVISIBLE = new RegExp(`[${INVISIBLE}]`, 'gu');

export function withoutInvisible(text: string): string {
  return text.replace(EACH_INVISIBLE, '');
}
