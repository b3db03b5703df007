import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import type { Filters } from '../filters.ts';
import { plural } from '../format.ts';
import { isOver } from '../queries.ts';
import type { JobSummary } from '../types.ts';
import { type Deed, useJobsDeed } from './deeds.ts';

export interface BulkBarProps {
  selected: string[];
  rows: JobSummary[] | undefined;
  /** What the list is cut by; with nothing selected, the deeds are for all of it. */
  filter: Filters;
  isFiltered: boolean;
  onDone: () => void;
}

const canRequeue = ({ status }: JobSummary) => status === 'failed' || status === 'cancelled';
const canCancel = ({ status }: JobSummary) => !isOver(status);

/** Deeds for the selected jobs, or for all that match the filter. */
export function BulkBar({ selected, rows = [], filter, isFiltered, onDone }: BulkBarProps) {
  const [asked, setAsked] = useState<Deed>();
  const done = () => {
    setAsked(undefined);
    onDone();
  };
  const deeds = { cancel: useJobsDeed('cancel', done), requeue: useJobsDeed('requeue', done) };
  const chosen = rows.filter(({ job_id }) => selected.includes(job_id));
  const run = (deed: Deed) => deeds[deed].mutate({ job_ids: selected });
  const isBusy = deeds.cancel.isPending || deeds.requeue.isPending;

  if (selected.length > 0) {
    return (
      <section className="console-bulk" aria-label="For the selected jobs">
        <b>{plural(selected.length, 'job')} selected</b>
        <Button
          size="small"
          icon={RotateCcw}
          busy={isBusy}
          disabled={!chosen.some(canRequeue)}
          onClick={() => run('requeue')}
        >
          Queue again
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
          Select none
        </Button>
      </section>
    );
  }
  if (!isFiltered || rows.length === 0) return null;
  const offered: Deed[] = [
    ...(rows.some(canRequeue) ? (['requeue'] as const) : []),
    ...(rows.some(canCancel) ? (['cancel'] as const) : []),
  ];
  if (offered.length === 0) return null;
  return (
    <section className="console-bulk console-bulk-quiet" aria-label="For all jobs that match">
      <span className="muted small">All that match, shown or not:</span>
      {offered.map((deed) => (
        <Button
          key={deed}
          size="small"
          look="ghost"
          icon={deed === 'requeue' ? RotateCcw : Ban}
          onClick={() => setAsked(deed)}
        >
          {deed === 'requeue' ? 'Queue again' : 'Cancel'}
        </Button>
      ))}
      {asked && (
        <ConfirmDialog
          title={asked === 'requeue' ? 'Queue all of them again?' : 'Cancel all of them?'}
          action={asked === 'requeue' ? 'Queue all again' : 'Cancel all'}
          danger={asked === 'cancel'}
          busy={isBusy}
          onConfirm={() => deeds[asked].mutate({ filter: suited(asked, filter) })}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {asked === 'requeue'
              ? 'Every job that matches the filters and has failed (or was cancelled, where that is the state chosen) is queued with all its attempts before it, also those further down that are not shown.'
              : 'Every job that matches the filters and is not over is cancelled, also those further down that are not shown. Running ones are told to stop; what they have done until then stays done.'}
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Without a state, requeueing takes the failed ones. */
function suited(deed: Deed, filter: Filters): Filters {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return deed === 'requeue' && given.status === undefined ? { ...given, status: 'failed' } : given;
}
