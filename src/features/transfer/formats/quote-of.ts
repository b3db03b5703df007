import type { WireHighlight } from '../exported-document.ts';

/** The quote of a highlight. */
export function quoteOf({ selector }: WireHighlight['target']) {
  const quote = selector.find((one) => one.type === 'TextQuoteSelector');
  if (!quote) throw new Error('A highlight has a quote.');
  return quote;
}
