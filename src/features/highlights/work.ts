import { createQuoteFinder, type FragmentText, type Lost, type Place } from './find-quote.ts';

/** The tasks of highlights, which run in text processes. */
export const highlightWork = {
  /** Looks for each passage in the texts of a media. */
  'highlights.place': ({
    lost,
    fragments,
  }: {
    lost: Lost[];
    fragments: FragmentText[];
  }): (Place | null)[] => {
    const find = createQuoteFinder(fragments);
    return lost.map((one) => find(one) ?? null);
  },
};
