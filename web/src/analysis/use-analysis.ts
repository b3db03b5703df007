import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { type AnalysisOptions, analysisJobQuery, runsQuery, startAnalysis } from './queries.ts';

/** The analyses of a document, and the one that is running. */
export function useAnalysis(mediaId: string) {
  const queryClient = useQueryClient();
  const runs = useQuery(runsQuery(mediaId));
  const startedKey = queryKeys.startedAnalysis(mediaId);
  // Kept in the query cache because the panel may be closed while the analysis runs.
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
    mutationFn: (options: AnalysisOptions) => startAnalysis(mediaId, options),
    onSuccess: ({ job_id }) => {
      queryClient.setQueryData(startedKey, job_id);
      void queryClient.invalidateQueries({ queryKey: runsQuery(mediaId).queryKey });
    },
  });

  const isDone = runs.data?.some(({ job_id }) => job_id === startedJobId) === true;
  return {
    runs,
    start: starting.mutate,
    isStarting: starting.isPending,
    startError: starting.error,
    /** The started job, until its run is listed. */
    pending: startedJobId !== undefined && !isDone ? { job, error: jobError } : undefined,
  };
}
