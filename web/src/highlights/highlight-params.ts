import { HIGHLIGHT_COLORS, type HighlightColor } from '../../../src/contract/highlight-selectors.ts';

/** The filters in the address of the page of highlights. */
export interface HighlightParams {
  q?: string;
  color?: HighlightColor;
  by?: 'me' | 'others';
  has?: 'note' | 'replies';
  is?: 'unread' | 'unplaced';
}

export function readHighlightParams(search: Record<string, unknown>): HighlightParams {
  const color = HIGHLIGHT_COLORS.find((one) => one === search.color);
  const by = (['me', 'others'] as const).find((one) => one === search.by);
  const has = (['note', 'replies'] as const).find((one) => one === search.has);
  const is = (['unread', 'unplaced'] as const).find((one) => one === search.is);
  return {
    ...((typeof search.q === 'string' || typeof search.q === 'number') && { q: String(search.q) }),
    ...(color && { color }),
    ...(by && { by }),
    ...(has && { has }),
    ...(is && { is }),
  };
}
