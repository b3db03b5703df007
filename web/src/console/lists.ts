import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Page } from '../api/types.ts';
import type { Filters } from './filters.ts';
import { REFRESH_MS } from './refresh.ts';

const PAGE_SIZE = 50;

export interface ListOptions {
  queryKey: QueryKey;
  path: string;
  filters?: Filters;
}

/** A list of the platform API, page by page, refetched while it is shown. */
export function useList<Name extends string, Row>(name: Name, options: ListOptions) {
  type Answer = Record<Name, Row[]> & { page: Page };
  const { queryKey, path, filters = {} } = options;
  const list = useInfiniteQuery<
    Answer,
    Error,
    InfiniteData<Answer, string | undefined>,
    QueryKey,
    string | undefined
  >({
    queryKey: [...queryKey, filters],
    queryFn: ({ pageParam, signal }) =>
      api.get<Answer>(path, { limit: PAGE_SIZE, ...filters, cursor: pageParam }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  });
  const rows = list.data?.pages.flatMap((page) => page[name]);
  return { ...list, rows };
}
