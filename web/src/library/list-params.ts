import type { MediaKind } from '../api/types.ts';
import { cleanTag, tagProblem } from '../mine/tag-names.ts';
import { KINDS } from './format.ts';

export const SORTS = ['added', 'title', 'published', 'length'] as const;
export const ORDERS = ['asc', 'desc'] as const;
const READINGS = ['unread', 'reading', 'finished'] as const;
const STATUSES = ['ready', 'failed', 'pending'] as const;

/** The filters and the order of a list, as search params of the address. */
export interface ListParams {
  kind?: MediaKind;
  status?: (typeof STATUSES)[number];
  site?: string;
  /** The query of a saved search. */
  q?: string;
  /** Includes the tags below it. */
  tag?: string;
  /** A tag of the shared library that is listed. */
  library_tag?: string;
  favourite?: boolean;
  archived?: boolean;
  reading?: (typeof READINGS)[number];
  sort?: (typeof SORTS)[number];
  order?: (typeof ORDERS)[number];
}

export function oneOf<const T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((candidate) => candidate === value);
}

const CHOICES = { kind: KINDS, status: STATUSES, reading: READINGS, sort: SORTS, order: ORDERS };

export function readListParams(search: Record<string, unknown>): ListParams {
  const known = Object.entries(CHOICES).map(([name, values]) => [name, oneOf<string>(values, search[name])]);
  const [site, tag, libraryTag] = [search.site, search.tag, search.library_tag].map(textOf);
  return {
    ...Object.fromEntries(known.filter(([, value]) => value)),
    ...(site && { site }),
    ...(tag && !tagProblem(tag) && { tag: cleanTag(tag) }),
    ...(libraryTag && !tagProblem(libraryTag) && { library_tag: cleanTag(libraryTag) }),
    ...(search.favourite === true && { favourite: true }),
  };
}

/** The router reads a number in the address as one, but `2026` can be the name of a tag. */
function textOf(given: unknown): string | undefined {
  if (typeof given === 'number') return String(given);
  return typeof given === 'string' ? given : undefined;
}
