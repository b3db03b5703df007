import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import type { Filters } from '../filters.ts';
import { plural } from '../format.ts';
import { isOver } from '../queries.ts';
import type { JobSummary } from '../types.ts';
import { type JobAction, useJobsAction } from './job-actions.ts';

export interface BulkBarProps {
  selected: string[];
  rows: JobSummary[] | undefined;
  /** The filters of the list. With nothing selected, actions apply to all jobs that match. */
  filter: Filters;
  isFiltered: boolean;
  onDone: () => void;
}

const canRequeue = ({ status }: JobSummary) => status === 'failed' || status === 'cancelled';
const canCancel = ({ status }: JobSummary) => !isOver(status);

/** Actions on the selected jobs, or on all jobs that match the filters. */
export function BulkBar({ selected, rows = [], filter, isFiltered, onDone }: BulkBarProps) {
  const [asked, setAsked] = useState<JobAction>();
  const done = () => {
    setAsked(undefined);
    onDone();
  };
  const actions = { cancel: useJobsAction('cancel', done), requeue: useJobsAction('requeue', done) };
  const chosen = rows.filter(({ job_id }) => selected.includes(job_id));
  const run = (action: JobAction) => actions[action].mutate({ job_ids: selected });
  const isBusy = actions.cancel.isPending || actions.requeue.isPending;

  if (selected.length > 0) {
    return (
      <section className="console-bulk" aria-label="Selected jobs">
        <b>{plural(selected.length, 'job')} selected</b>
        <Button
          size="small"
          icon={RotateCcw}
          busy={isBusy}
          disabled={!chosen.some(canRequeue)}
          onClick={() => run('requeue')}
        >
          Requeue
        </Button>
        <Button
          size="small"
          look="danger"
          icon={Ban}
          busy={isBusy}
          disabled={!chosen.some(canCancel)}
          onClick={() => run('cancel')}
        >
          Cancel
        </Button>
        <Button size="small" look="ghost" onClick={onDone}>
          Clear selection
        </Button>
      </section>
    );
  }
  if (!isFiltered || rows.length === 0) return null;
  const offered: JobAction[] = [
    ...(rows.some(canRequeue) ? (['requeue'] as const) : []),
    ...(rows.some(canCancel) ? (['cancel'] as const) : []),
  ];
  if (offered.length === 0) return null;
  return (
    <section className="console-bulk console-bulk-quiet" aria-label="All matching jobs">
      <span className="muted small">All matching jobs:</span>
      {offered.map((action) => (
        <Button
          key={action}
          size="small"
          look="ghost"
          icon={action === 'requeue' ? RotateCcw : Ban}
          onClick={() => setAsked(action)}
        >
          {action === 'requeue' ? 'Requeue' : 'Cancel'}
        </Button>
      ))}
      {asked && (
        <ConfirmDialog
          title={asked === 'requeue' ? 'Requeue all matching jobs?' : 'Cancel all matching jobs?'}
          action={asked === 'requeue' ? 'Requeue all' : 'Cancel all'}
          dismiss={asked === 'cancel' ? 'Go back' : 'Cancel'}
          danger={asked === 'cancel'}
          busy={isBusy}
          onConfirm={() => actions[asked].mutate({ filter: suited(asked, filter) })}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {asked === 'requeue'
              ? 'All failed jobs that match the filters are requeued with all their attempts, including those that are not shown. To requeue cancelled jobs, filter by that status.'
              : 'All unfinished jobs that match the filters are cancelled, including those that are not shown. Running jobs are stopped, but what they have done stays.'}
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Without a status, only failed jobs are requeued. */
function suited(action: JobAction, filter: Filters): Filters {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return action === 'requeue' && given.status === undefined ? { ...given, status: 'failed' } : given;
}
