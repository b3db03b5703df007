import { RotateCcw } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import type { Job } from './queries.ts';

export interface PendingRunProps {
  job: Job | undefined;
  error: unknown;
  onRetry: () => void;
  isRetrying: boolean;
}

/** A started analysis: that it is running, or why it failed. */
export function PendingRun({ job, error, onRetry, isRetrying }: PendingRunProps) {
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
            Request <code className="mono">{job.request_id}</code>
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
