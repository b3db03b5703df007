import { useQuery } from '@tanstack/react-query';
import { CircleCheck, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ConsoleLink } from '../console-link.tsx';
import { count, plural } from '../format.ts';
import { failuresQuery } from '../queries.ts';
import { Time } from '../time.tsx';
import type { JobFailure } from '../types.ts';
import { useJobsAction } from './job-actions.ts';

interface FailuresProps {
  minutes: string;
  filter: { job_type?: string; queue?: string };
}

/** Failures grouped by cause, the most frequent first. */
export function Failures({ minutes, filter }: FailuresProps) {
  const failures = useQuery(failuresQuery(minutes, filter));
  const [chosen, setChosen] = useState<JobFailure>();
  const requeue = useJobsAction('requeue', () => setChosen(undefined));
  if (failures.error && !failures.data) {
    return <ErrorState error={failures.error} onRetry={() => void failures.refetch()} />;
  }
  if (!failures.data) return <Skeleton height="14rem" />;
  if (failures.data.failures.length === 0) {
    return (
      <EmptyState icon={CircleCheck} title="No failures">
        Jobs that fail in this time range are grouped here by cause.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="console-failures">
        {failures.data.failures.map((failure) => (
          <Failure key={Object.values(groupFilter(failure)).join()} failure={failure} onRequeue={setChosen} />
        ))}
      </ul>
      {chosen && (
        <ConfirmDialog
          title={`Requeue ${plural(chosen.failed_count, 'failed job')}?`}
          action="Requeue"
          busy={requeue.isPending}
          onConfirm={() =>
            requeue.mutate({
              filter: { status: 'failed', ...groupFilter(chosen) },
            })
          }
          onClose={() => setChosen(undefined)}
        >
          <p>
            All <b>{chosen.job_type}</b> jobs that failed with this error are requeued with all their
            attempts. They fail again if the cause still exists.
          </p>
          {chosen.error_text && <p className="console-error-text console-gap">{chosen.error_text}</p>}
        </ConfirmDialog>
      )}
    </>
  );
}

interface FailureProps {
  failure: JobFailure;
  onRequeue: (failure: JobFailure) => void;
}

function Failure({ failure, onRequeue }: FailureProps) {
  const { job_type, error_code, error_text, failed_count, retrying_count } = failure;
  return (
    <li className="card console-failure">
      <div className="console-failure-count">
        {count(failed_count + retrying_count)}
        <span>{failed_count + retrying_count === 1 ? 'job' : 'jobs'}</span>
      </div>
      <div className="console-failure-what">
        <div className="row">
          <b>{job_type}</b>
          {error_code && <Badge tone="danger">{error_code}</Badge>}
          {retrying_count > 0 && (
            <Badge tone="amber">{plural(retrying_count, 'will retry', 'will retry')}</Badge>
          )}
        </div>
        {error_text && <p className="console-error-text">{error_text}</p>}
        <p className="small muted">
          last <Time at={failure.last_seen_at} />, first <Time at={failure.first_seen_at} />
        </p>
      </div>
      <div className="row console-failure-actions">
        <ConsoleLink to="jobs" search={groupFilter(failure)} className={buttonClass('secondary', 'small')}>
          Show {failed_count + retrying_count === 1 ? 'job' : 'jobs'}
        </ConsoleLink>
        {failed_count > 0 && (
          <Button size="small" icon={RotateCcw} onClick={() => onRequeue(failure)}>
            Requeue
          </Button>
        )}
      </div>
    </li>
  );
}

/** The filter for the jobs of a group. Admins see groups by error text, operators by error code. */
function groupFilter({ job_type, failure_id, error_code }: JobFailure) {
  if (failure_id) return { job_type, failure_id };
  return { job_type, ...(error_code && { error_code }) };
}
