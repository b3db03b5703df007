import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { FormError } from '../session/card-page.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { ErrorState } from '../ui/states.tsx';
import { ImportResult } from './import-result.tsx';
import {
  COUNTED,
  cancelJob,
  countItems,
  countsOf,
  isFinished,
  progressQuery,
  resultQuery,
} from './imports.ts';

interface ImportProgressProps {
  ids: string[];
  total: number | undefined;
  libraryId: string | undefined;
}

/** The last step of an import: its progress, then its results. */
export function ImportProgress({ ids, total, libraryId }: ImportProgressProps) {
  const jobs = useQueries({ queries: ids.map(progressQuery) });
  const results = useQueries({
    queries: ids.map((id, index) => ({
      ...resultQuery(id),
      enabled: jobs[index]?.data !== undefined && isFinished(jobs[index].data),
    })),
  });
  const [isCancelling, setCancelling] = useState(false);
  const [error, setError] = useState<unknown>();
  const missing = jobs.find((job) => job.error)?.error;
  const known = jobs.flatMap(({ data }) => data ?? []);
  if (missing && known.length < ids.length) {
    return (
      <ErrorState error={missing}>
        <Link to="/import" className={buttonClass('primary')}>
          New import
        </Link>
      </ErrorState>
    );
  }
  const areAllFinished = known.length === ids.length && known.every(isFinished);
  if (areAllFinished && results.every(({ data }) => data)) {
    const items = results.flatMap(({ data }) => data ?? []);
    return <ImportResult jobs={known} items={items} total={total ?? items.length} libraryId={libraryId} />;
  }

  const counts = { done: 0, created: 0, duplicate: 0, invalid: 0 };
  for (const [index, { data }] of jobs.entries()) {
    const items = results[index]?.data;
    const part = items ? countItems(items) : data && countsOf(data);
    if (part) for (const name of COUNTED) counts[name] += part[name];
  }
  const whole = Math.max(total ?? 0, counts.done);

  async function cancel() {
    setCancelling(true);
    setError(undefined);
    const open = known.filter((job) => !isFinished(job));
    try {
      for (const { job_id } of open) await cancelJob(job_id);
    } catch (failure) {
      setError(failure);
      setCancelling(false);
    }
  }

  return (
    <>
      <p className="page-lead" role="status">
        {counts.done.toLocaleString()} of {whole.toLocaleString()} links
      </p>
      <progress
        className="transfer-progress"
        aria-label="Links imported"
        max={whole || 1}
        value={counts.done}
      />
      <p className="muted">
        {counts.created.toLocaleString()} new, {counts.duplicate.toLocaleString()} already saved,{' '}
        {counts.invalid.toLocaleString()} not saved. You can leave this page and come back to its address. The
        import continues.
      </p>
      <div className="transfer-actions">
        <Button look="danger" busy={isCancelling} onClick={() => void cancel()}>
          Cancel import
        </Button>
      </div>
      <FormError error={error} />
    </>
  );
}
