import { queryOptions } from '@tanstack/react-query';
import type { relatedList, relatedMedia } from '../../../src/contract/graph.ts';
import { api } from '../api/client.ts';
import type { Wire } from '../api/types.ts';

export type RelatedMedia = Wire<typeof relatedMedia>;

/** What was saved a moment ago becomes a neighbour when it has been read in, of which no event tells. */
const NOW_AND_THEN_MS = 10_000;

export const relatedQuery = (mediaId: string) =>
  queryOptions({
    queryKey: ['media', 'related', mediaId],
    queryFn: ({ signal }) =>
      api
        .get<Wire<typeof relatedList>>(`/media/${mediaId}/related`, { limit: 20 }, signal)
        .then(({ data }) => data),
    refetchInterval: NOW_AND_THEN_MS,
  });
