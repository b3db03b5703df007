import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { TrashPage } from '../api/types.ts';
import { refreshLists } from '../library/media-list.ts';

export const trashQuery = infiniteQueryOptions({
  queryKey: queryKeys.trash(),
  queryFn: ({ pageParam, signal }) => api.get<TrashPage>('/trash', { limit: 100, cursor: pageParam }, signal),
  initialPageParam: '',
  getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
});

/** Refetches what restoring or deleting changes: the trash, the lists and the storage used. */
export async function refreshTrash(queryClient: QueryClient): Promise<void> {
  refreshLists(queryClient);
  void queryClient.invalidateQueries({ queryKey: queryKeys.libraries() });
  void queryClient.invalidateQueries({ queryKey: queryKeys.storage() });
  await queryClient.invalidateQueries({ queryKey: queryKeys.trash() });
}
