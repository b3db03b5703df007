import { type FragmentText, findQuote, type Lost, type Place } from './find-quote.ts';

/** The tasks of highlights, which run in text processes. */
export const highlightWork = {
  /** Looks for each passage in the texts of a media. */
  'highlights.place': ({ lost, fragments }: { lost: Lost[]; fragments: FragmentText[] }): (Place | null)[] =>
    lost.map((one) => findQuote(one, fragments) ?? null),
};
