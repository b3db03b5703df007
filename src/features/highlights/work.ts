import { createQuoteFinder, type FragmentText, type Lost, type PassageLocation } from './find-quote.ts';

/** The tasks of highlights, which run in text processes. */
export const highlightWork = {
  /** Looks for each passage in the texts of a media. */
  'highlights.place': ({
    lost,
    fragments,
  }: {
    lost: Lost[];
    fragments: FragmentText[];
  }): (PassageLocation | null)[] => {
    const find = createQuoteFinder(fragments);
    return lost.map((one) => find(one) ?? null);
  },
};
