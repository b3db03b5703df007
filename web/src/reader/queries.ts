import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Fragment } from '../api/types.ts';

/** The fragments of a media. They never change, so they are refetched only when access may have changed. */
export const fragmentsQuery = (mediaId: string) =>
  queryOptions({
    queryKey: queryKeys.fragments(mediaId),
    queryFn: ({ signal }) =>
      api
        .get<{ data: Fragment[] }>(`/media/${mediaId}/fragments`, undefined, signal)
        .then(({ data }) => data),
    staleTime: Number.POSITIVE_INFINITY,
  });
