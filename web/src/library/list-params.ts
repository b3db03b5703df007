import type { MediaKind } from '../api/types.ts';
import { KINDS } from './kinds.ts';

export const SORTS = ['added', 'title', 'published', 'length'] as const;
export const ORDERS = ['asc', 'desc'] as const;
export const READINGS = ['unread', 'reading', 'finished'] as const;
export const STATUSES = ['ready', 'failed', 'pending'] as const;
export const VIEWS = ['list', 'grid'] as const;

/** The filters and the order of a list, as search params of the address. */
export interface ListParams {
  kind?: MediaKind;
  status?: (typeof STATUSES)[number];
  site?: string;
  reading?: (typeof READINGS)[number];
  sort?: (typeof SORTS)[number];
  order?: (typeof ORDERS)[number];
}

export function oneOf<const T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.find((candidate) => candidate === value);
}

export function readListParams(search: Record<string, unknown>): ListParams {
  const kind = oneOf(KINDS, search.kind);
  const status = oneOf(STATUSES, search.status);
  const reading = oneOf(READINGS, search.reading);
  const sort = oneOf(SORTS, search.sort);
  const order = oneOf(ORDERS, search.order);
  return {
    ...(kind && { kind }),
    ...(status && { status }),
    ...(typeof search.site === 'string' && { site: search.site }),
    ...(reading && { reading }),
    ...(sort && { sort }),
    ...(order && { order }),
  };
}
