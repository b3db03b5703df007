import type { MediaKind } from '../../../../contract/media.ts';

export const STATES = ['unread', 'reading', 'finished', 'favourite', 'archived', 'shared', 'failed'] as const;
export type State = (typeof STATES)[number];

export const THINGS = ['highlights', 'note', 'tags'] as const;
export type Thing = (typeof THINGS)[number];

/**
 * Days, such as `2026-01-31`, in UTC: from the first one on, and before the second one. Or an age: less or more than so many
 * days ago.
 */
export type DateRange = { from: string | null; until: string | null } | { days: number; isYounger: boolean };

/** Looks for words in titles, authors and text. The last word of a query may be unfinished. */
export interface Words {
  type: 'words';
  text: string;
  isPhrase: boolean;
  isUnfinished: boolean;
}

export type Condition =
  | { type: 'tag' | 'in' | 'site' | 'author'; value: string }
  | { type: 'is'; value: State }
  | { type: 'has'; value: Thing }
  | { type: 'kind'; value: MediaKind }
  | { type: 'added' | 'published'; range: DateRange }
  /** Minutes, both included. */
  | { type: 'length'; min: number | null; max: number | null };

/** A parsed query. `all` and `any` have at least two parts; none of `all` is an `all`, and none of `any` an `any`. */
export type Query =
  | { type: 'all' | 'any'; of: Query[] }
  | { type: 'not'; of: Query }
  /** A query of nothing but punctuation: it finds nothing. */
  | { type: 'none' }
  | Words
  | Condition;

/** Whether a query consists of wanted words alone, so that it is one query to the text index. */
export function isText(query: Query): boolean {
  if (query.type === 'all' || query.type === 'any') return query.of.every(isText);
  return query.type === 'words';
}

/** Returns the parts of a query that must all be true. */
export function partsOf(query: Query): Query[] {
  return query.type === 'all' ? query.of : [query];
}

/** Combines parts to a query; undefined without any. */
export function combine(type: 'all' | 'any', parts: Query[]): Query | undefined {
  const flat = parts.flatMap((part) => (part.type === type ? part.of : [part]));
  return flat.length > 1 ? { type, of: flat } : flat[0];
}
