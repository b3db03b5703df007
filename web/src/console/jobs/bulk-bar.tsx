import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { plural } from '../../ui/numbers.ts';
import type { Filters } from '../filters.tsx';
import { isOver } from '../queries.ts';
import type { JobSummary } from '../types.ts';
import { canRequeue, type JobAction, useJobsAction } from './job-actions.ts';

interface BulkBarProps {
  selected: string[];
  rows: JobSummary[] | undefined;
  /** The filters of the list. With nothing selected, actions apply to all jobs that match. */
  filter: Filters;
  isFiltered: boolean;
  onDone: () => void;
}

const ACTIONS = [
  {
    action: 'requeue',
    label: 'Retry',
    icon: RotateCcw,
    look: 'secondary',
    dismiss: 'Cancel',
    suits: canRequeue,
    explanation:
      'All failed jobs that match the filters are retried, including those that are not shown. Each gets all its attempts again. To retry cancelled jobs, filter by that status.',
  },
  {
    action: 'cancel',
    label: 'Cancel',
    icon: Ban,
    look: 'danger',
    dismiss: 'Go back',
    suits: ({ status }: JobSummary) => !isOver(status),
    explanation:
      'All unfinished jobs that match the filters are cancelled, including those that are not shown. Running jobs are stopped, but what they have done stays.',
  },
] as const;

/** Actions on the selected jobs, or on all jobs that match the filters. */
export function BulkBar({ selected, rows = [], filter, isFiltered, onDone }: BulkBarProps) {
  const [asked, setAsked] = useState<JobAction>();
  const done = () => {
    setAsked(undefined);
    onDone();
  };
  const run = { cancel: useJobsAction('cancel', done), requeue: useJobsAction('requeue', done) };
  const isBusy = run.cancel.isPending || run.requeue.isPending;
  const chosen = rows.filter(({ job_id }) => selected.includes(job_id));

  if (selected.length > 0) {
    return (
      <section className="console-bulk" aria-label="Selected jobs">
        <b>{plural(selected.length, 'job')} selected</b>
        {ACTIONS.map(({ action, label, icon, look, suits }) => (
          <Button
            key={action}
            size="small"
            look={look}
            icon={icon}
            busy={isBusy}
            disabled={!chosen.some(suits)}
            onClick={() => run[action].mutate({ job_ids: selected })}
          >
            {label}
          </Button>
        ))}
        <Button size="small" look="ghost" onClick={onDone}>
          Clear selection
        </Button>
      </section>
    );
  }
  const offered = ACTIONS.filter(({ suits }) => isFiltered && rows.some(suits));
  if (offered.length === 0) return null;
  return (
    <section className="console-bulk console-bulk-quiet" aria-label="All matching jobs">
      <span className="muted small">All matching jobs:</span>
      {offered.map(({ action, label, icon }) => (
        <Button key={action} size="small" look="ghost" icon={icon} onClick={() => setAsked(action)}>
          {label}
        </Button>
      ))}
      {offered
        .filter(({ action }) => action === asked)
        .map(({ action, label, dismiss, look, explanation }) => (
          <ConfirmDialog
            key={action}
            title={`${label} all matching jobs?`}
            action={`${label} all`}
            dismiss={dismiss}
            danger={look === 'danger'}
            busy={isBusy}
            onConfirm={() => run[action].mutate({ filter: suited(action, filter) })}
            onClose={() => setAsked(undefined)}
          >
            <p>{explanation}</p>
          </ConfirmDialog>
        ))}
    </section>
  );
}

/** Without a status, only failed jobs are retried. */
function suited(action: JobAction, filter: Filters): Filters {
  return action === 'requeue' && filter.status === undefined ? { ...filter, status: 'failed' } : filter;
}
