export const HIGHLIGHT_COLORS = ['yellow', 'green', 'blue', 'pink', 'purple'] as const;
export type HighlightColor = (typeof HIGHLIGHT_COLORS)[number];

interface PositionSelector {
  type: 'TextPositionSelector';
  start: number;
  end: number;
}

interface QuoteSelector {
  type: 'TextQuoteSelector';
  exact: string;
  prefix?: string | undefined;
  suffix?: string | undefined;
}

/** The position and the quote of a highlight. */
export function selectorsOf({ target }: { target: { selector: (PositionSelector | QuoteSelector)[] } }) {
  const position = target.selector.find((one) => one.type === 'TextPositionSelector');
  const quote = target.selector.find((one) => one.type === 'TextQuoteSelector');
  if (!position || !quote) throw new Error('A highlight has a position and a quote.');
  return { position, quote };
}
