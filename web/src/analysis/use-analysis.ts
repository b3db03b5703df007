import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { type StreamEvent, useEvents } from '../api/events.ts';
import { analysisJobQuery, analysisKey, runsQuery, startAnalysis, type Wanted } from './queries.ts';

/** The runs of a document, and the one that is under way. */
export function useAnalysis(mediaId: string) {
  const queryClient = useQueryClient();
  const runs = useQuery(runsQuery(mediaId));
  const startedKey = [...analysisKey(mediaId), 'started'];
  // Kept where the runs are: the panel may be closed while it waits.
  const { data: startedJobId } = useQuery<string>({
    queryKey: startedKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: job, error: jobError } = useQuery({
    ...analysisJobQuery(startedJobId ?? ''),
    enabled: startedJobId !== undefined,
  });
  const starting = useMutation({
    mutationFn: (wanted: Wanted) => startAnalysis(mediaId, wanted),
    onSuccess: ({ job_id }) => {
      queryClient.setQueryData(startedKey, job_id);
      void queryClient.invalidateQueries({ queryKey: runsQuery(mediaId).queryKey });
    },
  });

  useEvents(
    useCallback(
      ({ type, data }: StreamEvent) => {
        if (type !== 'analysis.completed') return;
        if ((data as { document_id: string }).document_id !== mediaId) return;
        void queryClient.invalidateQueries({ queryKey: runsQuery(mediaId).queryKey });
      },
      [queryClient, mediaId],
    ),
  );
  // In case the stream was silent.
  const status = job?.status;
  useEffect(() => {
    if (status === 'succeeded') void queryClient.invalidateQueries({ queryKey: runsQuery(mediaId).queryKey });
  }, [status, mediaId, queryClient]);

  const isThere = runs.data?.some(({ job_id }) => job_id === startedJobId) === true;
  return {
    runs,
    start: starting.mutate,
    isStarting: starting.isPending,
    startError: starting.error,
    /** Until its run is there. */
    pending: startedJobId !== undefined && !isThere ? { job, error: jobError } : undefined,
  };
}
