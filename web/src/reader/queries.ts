import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { Fragment } from '../api/types.ts';

/** Once readable, fragments never change; they are asked for again only where rights may have. */
export const fragmentsQuery = (mediaId: string) =>
  queryOptions({
    queryKey: ['media', 'fragments', mediaId],
    queryFn: ({ signal }) =>
      api
        .get<{ data: Fragment[] }>(`/media/${mediaId}/fragments`, undefined, signal)
        .then(({ data }) => data),
    staleTime: Number.POSITIVE_INFINITY,
  });
