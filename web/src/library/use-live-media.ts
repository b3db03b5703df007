import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Media } from '../api/types.ts';
import { patchMedia, refreshLists } from './media-list.ts';
import { mediaQuery } from './queries.ts';
import { isUnderWay } from './stage.ts';

const LOOK_AGAIN_MS = 1500;

/** The event stream tells when it is ready or has failed; looking now and then shows the steps between. */
export function useLiveMedia(media: Media): void {
  const queryClient = useQueryClient();
  const { data, error } = useQuery({
    ...mediaQuery(media.id),
    enabled: isUnderWay(media),
    refetchInterval: LOOK_AGAIN_MS,
    staleTime: LOOK_AGAIN_MS,
  });
  useEffect(() => {
    if (data && data.updated_at > media.updated_at) patchMedia(queryClient, data);
  }, [data, media, queryClient]);
  useEffect(() => {
    if (error) refreshLists(queryClient);
  }, [error, queryClient]);
}
