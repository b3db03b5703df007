import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RefreshCw, RotateCcw, ScanText } from 'lucide-react';
import { useState } from 'react';
import { queryKeys } from '../api/queries.ts';
import type { MediaWithOutline } from '../api/types.ts';
import { roleAllows, useSession } from '../session/session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { EmptyState, ErrorState, Pending, SkeletonText } from '../ui/states.tsx';
import {
  type AnalysisOptions,
  analysisJobQuery,
  type Job,
  profilesQuery,
  runsQuery,
  startAnalysis,
} from './queries.ts';
import { ModeChoice, RunOptions } from './run-options.tsx';
import { RunView } from './run-view.tsx';

/** The latest analysis of a document, and the controls to start a new one. */
export function AnalysisTab({ media }: { media: MediaWithOutline }) {
  const { user, allowed_modes } = useSession();
  const [options, setOptions] = useState<AnalysisOptions>({
    mode: 'PUBLIC',
    profile: 'deterministic',
    isCompared: false,
  });
  const change = (changed: Partial<AnalysisOptions>) => setOptions({ ...options, ...changed });
  const { data: profiles } = useQuery(profilesQuery);
  const { runs, start, isStarting, startError, pending } = useAnalysis(media.id);
  const refusal = refusalFor(media, roleAllows(user.role, 'operator'));
  const latest = runs.data?.find((run) => run.mode === options.mode && run.shadow_of === null);
  const analyse = () => start(options);

  if (!runs.data) {
    return (
      <Pending query={runs}>
        <SkeletonText lines={12} />
      </Pending>
    );
  }
  return (
    <>
      {allowed_modes.includes('RAW') && (
        <ModeChoice mode={options.mode} onChange={(mode) => change({ mode })} />
      )}
      {profiles && !refusal && <RunOptions profiles={profiles} options={options} onChange={change} />}
      {startError && <ErrorState error={startError} onRetry={analyse} />}
      {pending && <PendingRun {...pending} onRetry={analyse} isRetrying={isStarting} />}
      {latest && (
        <RunView
          key={latest.id}
          summary={latest}
          actions={
            !pending &&
            !refusal && (
              <IconButton
                label="Analyse again"
                icon={RefreshCw}
                size="small"
                disabled={isStarting}
                onClick={analyse}
              />
            )
          }
        />
      )}
      {!latest && !pending && !startError && (
        <EmptyState
          icon={ScanText}
          title="Not analysed yet"
          actions={
            !refusal && (
              <Button look="primary" icon={ScanText} busy={isStarting} onClick={analyse}>
                Analyse
              </Button>
            )
          }
        >
          {refusal ??
            'Find the reading level, names and subjects, tone, figures of speech and more, marked in the text.'}
        </EmptyState>
      )}
    </>
  );
}

/** Returns why the person cannot analyse this document, or undefined when they can. */
function refusalFor(media: MediaWithOutline, isOperator: boolean): string | undefined {
  if (!media.capabilities.can_search) return 'This item has no text to analyse.';
  if (isOperator) return undefined;
  return 'Your role lets you read analyses but not start them. Ask someone with the operator role or above.';
}

interface PendingRunProps {
  job: Job | undefined;
  error: unknown;
  onRetry: () => void;
  isRetrying: boolean;
}

/** A started analysis: that it is running, or why it failed. */
function PendingRun({ job, error, onRetry, isRetrying }: PendingRunProps) {
  if (error && !job) return <ErrorState error={error} />;
  if (job?.status === 'failed' || job?.status === 'cancelled') {
    return (
      <div className="failure-card" role="alert">
        <h3>{job.status === 'failed' ? 'The analysis failed' : 'The analysis was cancelled'}</h3>
        <p>{job.error_text ?? 'It was cancelled before it was done.'}</p>
        <div className="row">
          <Button icon={RotateCcw} busy={isRetrying} onClick={onRetry}>
            Retry
          </Button>
        </div>
        {job.request_id && (
          <p className="request-id">
            Request ID <code className="mono">{job.request_id}</code>
          </p>
        )}
      </div>
    );
  }
  return (
    <div className="run-pending" role="status">
      <span className="run-pending-bar" aria-hidden />
      <p>{progressOf(job)}</p>
    </div>
  );
}

function progressOf(job: Job | undefined): string {
  if (job?.status === 'retry_wait')
    return `Attempt ${job.attempt_count} of ${job.max_attempts} failed. Nexus will retry. ${job.error_text ?? ''}`;
  return 'Analysing the text…';
}

/** The analyses of a document, and the one that is running. */
function useAnalysis(mediaId: string) {
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
