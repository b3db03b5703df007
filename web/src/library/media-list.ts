import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Answer, Media, MediaPage, MediaWithOutline } from '../api/types.ts';
import type { ListSearch } from './list-search.ts';
import { mediaQuery } from './queries.ts';

export const PAGE_SIZE = 200;
/** Beyond so many pages a list is corrected item by item, not asked for again as a whole. */
const MOST_REFETCHED_PAGES = 3;

/** A library's media, page by page; the first answer says how many there are. */
export function mediaListQuery(libraryId: string, search: ListSearch) {
  return infiniteQueryOptions({
    queryKey: ['media', 'list', libraryId, search],
    queryFn: ({ pageParam, signal }) =>
      api.get<MediaPage>(
        '/media',
        { ...search, library_id: libraryId, limit: PAGE_SIZE, cursor: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
    staleTime: 15_000,
  });
}

type ListData = InfiniteData<MediaPage, string | undefined>;
const LISTS = { queryKey: ['media', 'list'] };

/** What is new of a media. */
type MediaPatch = Pick<Media, 'id'> & Partial<Media>;

/** Puts what is newer into every list and page that shows it. */
export function patchMedia(queryClient: QueryClient, media: MediaPatch): void {
  queryClient.setQueryData<MediaWithOutline>(
    mediaQuery(media.id).queryKey,
    (known) => known && { ...known, ...media },
  );
  // Writing to a list makes it fresh: one that is to be asked for again must stay old, or what it misses stays missing.
  const isToPatch = ({ state }: { state: { data: unknown; isInvalidated: boolean } }) =>
    !state.isInvalidated && holds(state.data as ListData | undefined, media.id);
  queryClient.setQueriesData<ListData>({ ...LISTS, predicate: isToPatch }, (list) => {
    if (!list) return list;
    return {
      ...list,
      pages: list.pages.map((page) => ({
        ...page,
        data: page.data.map((item) => (item.id === media.id ? { ...item, ...withoutOutline(media) } : item)),
      })),
    };
  });
}

function holds(list: ListData | undefined, mediaId: string): boolean {
  return list?.pages.some(({ data }) => data.some(({ id }) => id === mediaId)) ?? false;
}

function withoutOutline(media: MediaPatch & { outline?: unknown }): MediaPatch {
  const { outline: _, ...rest } = media;
  return rest;
}

/** Fetches one media anew and puts it everywhere. */
export async function refreshMedia(queryClient: QueryClient, id: string): Promise<void> {
  const { data } = await api.get<Answer<MediaWithOutline>>(`/media/${id}`);
  patchMedia(queryClient, data);
}

/** Asks for lists again, but for very long ones, whose pages would all be asked for. */
export function refreshLists(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({
    ...LISTS,
    predicate: ({ state }) =>
      ((state.data as ListData | undefined)?.pages.length ?? 0) <= MOST_REFETCHED_PAGES,
  });
}
