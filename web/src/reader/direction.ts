import type { MediaWithOutline } from '../api/types.ts';

const LANGUAGES = /^(ar|arc|ckb|dv|fa|he|ks|nqo|ps|sd|ug|ur|yi)(-(?!Latn)|$)/i;
/** Text whose first letter is of a script that is written from right to left. */
const TEXT =
  /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

type Written = Pick<MediaWithOutline, 'language' | 'title'>;

/** The direction of a text. Where neither its language nor its title says it, the browser decides by the text. */
export function textDirection({ language, title }: Written): 'rtl' | 'auto' {
  const isToTheLeft = language ? LANGUAGES.test(language) : TEXT.test(title);
  return isToTheLeft ? 'rtl' : 'auto';
}

/** Whether one reads on to the left: pages turn and progress grows in that direction. */
export function isRightToLeft({ book, ...written }: Written & Pick<MediaWithOutline, 'book'>): boolean {
  return book?.direction === 'rtl' || textDirection(written) === 'rtl';
}
