import type { TextRange } from '../../media/text/text-range.ts';
import type { LocatedFinding } from '../text.ts';

/** The most findings of a kind. The counts cover the rest. */
const MOST_FINDINGS = 40;
const MOST_PLACES = 10;
const LONGEST_LABEL = 200;
/** The most entries while reading, so that memory does not grow with the text. */
const MOST_DIFFERENT = 50_000;

export type Findings = ReturnType<typeof createFindings>;

export function createFindings() {
  const found = new Map<string, LocatedFinding>();
  const totals = new Map<string, number>();
  return {
    add(kind: string, label: string, { start, end }: TextRange, note?: string): void {
      totals.set(kind, (totals.get(kind) ?? 0) + 1);
      const shown = label.slice(0, LONGEST_LABEL);
      const key = `${kind}\n${shown}`;
      const known = found.get(key);
      if (known) {
        known.count += 1;
        if (known.ranges.length < MOST_PLACES) known.ranges.push({ start, end });
        return;
      }
      if (found.size >= MOST_DIFFERENT) forgetRare(found);
      const finding = { kind, label: shown, count: 1, ranges: [{ start, end }] };
      found.set(key, note === undefined ? finding : { ...finding, note });
    },
    countOf: (kind: string) => totals.get(kind) ?? 0,
    /** Returns the most frequent findings; equally frequent ones in the order of the text. */
    list({ kind, least = 1, most = MOST_FINDINGS }: { kind?: string; least?: number; most?: number } = {}) {
      return [...found.values()]
        .filter((finding) => finding.count >= least && (kind === undefined || finding.kind === kind))
        .sort((a, b) => b.count - a.count || firstPlace(a) - firstPlace(b))
        .slice(0, most);
    },
  };
}

function firstPlace({ ranges }: LocatedFinding): number {
  return ranges[0]?.start ?? 0;
}

/** Drops the least frequent entries until half of the table is free. */
function forgetRare(found: Map<string, LocatedFinding>): void {
  for (let rare = 1; found.size > MOST_DIFFERENT / 2; rare++) {
    for (const [key, { count }] of found) if (count <= rare) found.delete(key);
  }
}
