import { queryOptions } from '@tanstack/react-query';
import type { relatedList, relatedMedia } from '../../../src/contract/graph.ts';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Wire } from '../api/types.ts';

export type RelatedMedia = Wire<typeof relatedMedia>;

export const relatedQuery = (mediaId: string) =>
  queryOptions({
    queryKey: queryKeys.related(mediaId),
    queryFn: ({ signal }) =>
      api
        .get<Wire<typeof relatedList>>(`/media/${mediaId}/related`, { limit: 20 }, signal)
        .then(({ data }) => data),
  });
