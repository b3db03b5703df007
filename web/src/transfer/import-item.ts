/** The result of one imported link. */
export type ImportItem = { url: string } & (
  | { outcome: 'created' | 'duplicate'; media_id: string }
  | { outcome: 'invalid'; error: { code: string; message: string } }
);

export interface Counts {
  done: number;
  created: number;
  duplicate: number;
  invalid: number;
}

export function countItems(items: readonly ImportItem[]): Counts {
  const counts = { done: items.length, created: 0, duplicate: 0, invalid: 0 };
  for (const { outcome } of items) counts[outcome] += 1;
  return counts;
}
