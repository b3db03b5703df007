import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Audience, Highlight, ListPage, Media, Reply } from '../api/types.ts';
import { fragmentIndexQuery } from '../library/queries.ts';

/** All highlights of a media that the person sees, in the order of the text. */
export const mediaHighlightsQuery = (mediaId: string) =>
  queryOptions({
    queryKey: queryKeys.mediaHighlights(mediaId),
    queryFn: ({ signal }) => readAll<Highlight>(`/media/${mediaId}/highlights`, signal),
  });

/** The titles and lengths of the chapters of a book. Other media have no chapters. */
export const chaptersQuery = ({ id, kind }: Pick<Media, 'id' | 'kind'>) => ({
  ...fragmentIndexQuery(id),
  enabled: kind === 'epub',
});

export const repliesQuery = (highlightId: string) =>
  queryOptions({
    queryKey: queryKeys.replies(highlightId),
    queryFn: ({ signal }) => readAll<Reply>(`/highlights/${highlightId}/replies`, signal),
  });

async function readAll<T>(path: string, signal: AbortSignal): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { data, page } = await api.get<ListPage<T>>(path, { limit: 200, cursor }, signal);
    all.push(...data);
    if (page.next_cursor === null) return all;
    cursor = page.next_cursor;
  }
}

/** The people who see a highlight, or who would if it were shared with these libraries. */
export const audienceQuery = (highlightId: string, libraryIds: readonly string[]) => {
  const ids = libraryIds.join(',');
  return dataQuery<Audience>(
    queryKeys.audience(highlightId, ids),
    `/highlights/${highlightId}/audience`,
    ids === '' ? {} : { library_ids: ids },
  );
};

export interface HighlightFilter {
  q?: string | undefined;
  color?: string | undefined;
  by?: 'me' | 'others' | undefined;
  has?: 'note' | 'replies' | undefined;
  is?: 'unread' | 'unplaced' | undefined;
}

/** All highlights that the person sees, newest first, page by page. */
export const allHighlightsQuery = (filter: HighlightFilter) =>
  infiniteQueryOptions({
    queryKey: queryKeys.highlightList(filter),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage<Highlight>>('/highlights', { ...filter, limit: 50, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
