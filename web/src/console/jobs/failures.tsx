import { useQuery } from '@tanstack/react-query';
import { CircleCheck, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { count, plural } from '../../ui/numbers.ts';
import { Badge, EmptyState, Pending, Skeleton } from '../../ui/states.tsx';
import { FilterBar, FilterText, TimeFilter, useFilters } from '../filters.tsx';
import { failuresQuery } from '../queries.ts';
import type { JobFailure } from '../types.ts';
import { ConsoleLink, Time } from '../values.tsx';
import { useJobsAction } from './job-actions.ts';

/** Failures grouped by cause, the most frequent first. */
export function Failures() {
  const [{ minutes = '1440', job_type, queue }] = useFilters();
  const failures = useQuery(
    failuresQuery(minutes, { ...(job_type && { job_type }), ...(queue && { queue }) }),
  );
  return (
    <>
      <FilterBar>
        <TimeFilter usual="1440" />
        <FilterText name="job_type" label="Type" />
      </FilterBar>
      <Pending query={failures}>
        <Skeleton height="14rem" />
      </Pending>
      {failures.data && <FailureList failures={failures.data} />}
    </>
  );
}

function FailureList({ failures }: { failures: JobFailure[] }) {
  const [chosen, setChosen] = useState<JobFailure>();
  const requeue = useJobsAction('requeue', () => setChosen(undefined));
  if (failures.length === 0) {
    return (
      <EmptyState icon={CircleCheck} title="No failures">
        Jobs that fail in this time range are grouped here by cause.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="console-failures">
        {failures.map((failure) => (
          <Failure key={Object.values(groupFilter(failure)).join()} failure={failure} onRequeue={setChosen} />
        ))}
      </ul>
      {chosen && (
        <ConfirmDialog
          title={`Retry ${plural(chosen.failed_count, 'failed job')}?`}
          action="Retry"
          busy={requeue.isPending}
          onConfirm={() => requeue.mutate({ filter: { status: 'failed', ...groupFilter(chosen) } })}
          onClose={() => setChosen(undefined)}
        >
          <p>
            All <b>{chosen.job_type}</b> jobs that failed with this error are retried, and get all their
            attempts again. They fail again if the cause still exists.
          </p>
          {chosen.error_text && <p className="console-error-text console-gap">{chosen.error_text}</p>}
        </ConfirmDialog>
      )}
    </>
  );
}

function Failure({ failure, onRequeue }: { failure: JobFailure; onRequeue: (chosen: JobFailure) => void }) {
  const { job_type, error_code, error_text, failed_count, retrying_count } = failure;
  const total = failed_count + retrying_count;
  const noun = total === 1 ? 'job' : 'jobs';
  return (
    <li className="card console-failure">
      <div className="console-failure-count">
        {count(total)}
        <span>{noun}</span>
      </div>
      <div className="console-failure-what">
        <div className="row">
          <b>{job_type}</b>
          {error_code && <Badge tone="danger">{error_code}</Badge>}
          {retrying_count > 0 && <Badge tone="amber">{count(retrying_count)} will retry</Badge>}
        </div>
        {error_text && <p className="console-error-text">{error_text}</p>}
        <p className="small muted">
          last <Time at={failure.last_seen_at} />, first <Time at={failure.first_seen_at} />
        </p>
      </div>
      <div className="row console-failure-actions">
        <ConsoleLink to="jobs" search={groupFilter(failure)} className={buttonClass('secondary', 'small')}>
          Show {noun}
        </ConsoleLink>
        {failed_count > 0 && (
          <Button size="small" icon={RotateCcw} onClick={() => onRequeue(failure)}>
            Retry
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
