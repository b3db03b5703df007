import {
  type InfiniteData,
  infiniteQueryOptions,
  type Query,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { ApiError, api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListedMedia, MediaPage, MediaWithOutline } from '../api/types.ts';
import type { ListParams } from './list-params.ts';
import { mediaQuery } from './queries.ts';

export const PAGE_SIZE = 200;
/** A library's media, page by page. Every page has the total. */
export function mediaListQuery(libraryId: string, params: ListParams) {
  return infiniteQueryOptions({
    queryKey: queryKeys.mediaList(libraryId, params),
    queryFn: ({ pageParam, signal }) =>
      api.get<MediaPage>(
        '/media',
        { ...params, library_id: libraryId, limit: PAGE_SIZE, cursor: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
    staleTime: 15_000,
  });
}

type ListData = InfiniteData<MediaPage, string | undefined>;
const LISTS = { queryKey: queryKeys.mediaLists() };

type MediaPatch = Pick<ListedMedia, 'id'> & Partial<ListedMedia>;

/** Writes newer fields of a media into every list and page that shows it. */
export function patchMedia(queryClient: QueryClient, media: MediaPatch): void {
  const { queryKey } = mediaQuery(media.id);
  const error = queryClient.getQueryState(queryKey)?.error;
  // Writing would clear the error, and show a media that the person can no longer read.
  const isGone = error instanceof ApiError && error.isGone;
  if (!isGone)
    queryClient.setQueryData<MediaWithOutline>(queryKey, (known) => known && { ...known, ...media });
  patchLists(queryClient, media, queryKeys.mediaLists());
}

/**
 * Writes newer fields of a media into the lists with a key that show it. A list that is being fetched gets them again with
 * its answer, which may be older than the change and would undo it.
 */
export function patchLists(queryClient: QueryClient, media: MediaPatch, queryKey: QueryKey): void {
  const lists = queryClient.getQueryCache().findAll({ queryKey });
  const write = (list: Query) => {
    // Writing to a list marks it as fresh, so a list that waits for a refetch is left alone.
    if (!list.state.isInvalidated) queryClient.setQueryData<ListData>(list.queryKey, withPatch(media));
  };
  for (const list of lists) {
    write(list);
    if (list.state.fetchStatus !== 'fetching') continue;
    // A fetch that fails has changed nothing, and one that replaces it begins after the change.
    void list.promise?.then(
      () => write(list),
      () => undefined,
    );
  }
}

const withPatch = (media: MediaPatch) => (list: ListData | undefined) => {
  if (!list || !holds(list, media.id)) return undefined;
  return {
    ...list,
    pages: list.pages.map((page) => ({
      ...page,
      data: page.data.map((item) => (item.id === media.id ? { ...item, ...withoutOutline(media) } : item)),
    })),
  };
};

/** Takes removed media out of the lists of a library. Long lists are not fetched again. */
export function dropFromLists(queryClient: QueryClient, libraryId: string, ids: readonly string[]): void {
  const dropped = new Set(ids);
  queryClient.setQueriesData<ListData>({ queryKey: queryKeys.mediaListsOf(libraryId) }, (list) => {
    if (!list) return undefined;
    const kept = list.pages.map(({ data }) => data.filter(({ id }) => !dropped.has(id)));
    const count = list.pages.reduce(
      (sum, { data }, index) => sum + data.length - (kept[index]?.length ?? 0),
      0,
    );
    if (count === 0) return undefined;
    const pages = list.pages.map(({ page, ...rest }, index) => ({
      ...rest,
      data: kept[index] ?? [],
      page: { ...page, ...(page.total !== undefined && { total: page.total - count }) },
    }));
    return { ...list, pages };
  });
}

function holds(list: ListData | undefined, mediaId: string): boolean {
  return list?.pages.some(({ data }) => data.some(({ id }) => id === mediaId)) ?? false;
}

function withoutOutline(media: MediaPatch & { outline?: unknown }): MediaPatch {
  const { outline: _, ...rest } = media;
  return rest;
}

/** Whether a list or a page in the cache shows this media. */
export function isCached(queryClient: QueryClient, id: string): boolean {
  return (
    queryClient.getQueryData(mediaQuery(id).queryKey) !== undefined ||
    queryClient.getQueriesData<ListData>(LISTS).some(([, list]) => holds(list, id))
  );
}

/** Fetches a media and updates every list and page that shows it. A page of a media that is gone shows its error. */
export async function refreshMedia(queryClient: QueryClient, id: string): Promise<void> {
  try {
    patchMedia(queryClient, await api.getData<MediaWithOutline>(`/media/${id}`));
  } catch {
    await queryClient.invalidateQueries({ queryKey: mediaQuery(id).queryKey });
  }
}
