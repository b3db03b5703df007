import { type QueryKey, useQuery } from '@tanstack/react-query';
import { ApiError, api } from '../api/client.ts';

/**
 * Reads the object that a form edits, and saves with its tag in `If-Match`. The object is read once: when somebody else
 * changes it meanwhile, the server must refuse the edit, so the form must not adopt that change.
 */
export function useEditedState<T>(queryKey: QueryKey, path: string) {
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.getTagged<T>(path, signal),
    enabled: ({ state }) => state.data === undefined,
    staleTime: 0,
    gcTime: 0,
  });

  /** Saves a change. After a refusal because of another change, the next attempt replaces that one. */
  async function save<Result>(change: object): Promise<Result> {
    const tag = query.data?.tag ?? (await query.refetch({ throwOnError: true })).data?.tag;
    try {
      return await api.patchData<Result>(path, change, { ifMatch: tag });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'E_PRECONDITION_FAILED') await query.refetch();
      throw error;
    }
  }

  return { query, save };
}
