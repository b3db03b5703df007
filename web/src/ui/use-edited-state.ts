import { type QueryKey, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';

/**
 * Reads the object that a form edits, with the tag for `If-Match`. It is read once: the server must refuse the edit when
 * somebody else changes the object meanwhile, so the form must not adopt that change. Without a path, nothing is read.
 */
export function useEditedState<T>(queryKey: QueryKey, path: string | undefined) {
  const { data: current, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.getTagged<T>(path ?? '', signal),
    enabled: ({ state }) => path !== undefined && state.data === undefined,
    staleTime: 0,
    gcTime: 0,
  });
  return {
    current,
    /** Reads the object again after a refusal, so that the next attempt is based on it, and throws the refusal. */
    async readAgain(refusal: Error): Promise<never> {
      await refetch();
      throw refusal;
    },
  };
}
