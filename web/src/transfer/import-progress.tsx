import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { FormError } from '../session/card-page.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { ErrorState } from '../ui/states.tsx';
import { downloadText } from './download.ts';
import { COUNTED, countItems, type ImportItem, resultCsv } from './import-items.ts';
import { cancelJob, countsOf, isFinished, progressQuery, resultQuery } from './imports.ts';

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

interface ImportResultProps {
  jobs: { job_id: string; status: string; error_text: string | null }[];
  items: ImportItem[];
  total: number;
  libraryId: string | undefined;
}

const SHOWN = 100;

function ImportResult({ jobs, items, total, libraryId }: ImportResultProps) {
  const { created, duplicate, invalid } = countItems(items);
  const skipped = Math.max(0, total - items.length);
  const failed = jobs.find(({ status }) => status === 'failed');
  const isCancelled = jobs.some(({ status }) => status === 'cancelled');
  const refused = items.filter((item) => item.outcome === 'invalid');
  return (
    <>
      <p className="page-lead" role="status">
        {failed
          ? 'The import failed.'
          : isCancelled
            ? 'The import was cancelled. Links that were already imported stay.'
            : 'Import complete.'}
      </p>
      {failed?.error_text && (
        <p className="form-error" role="alert">
          {failed.error_text}
        </p>
      )}
      <dl className="transfer-counts">
        <Count value={created} label="new" />
        <Count value={duplicate} label="already saved" />
        <Count value={invalid} label="not saved" />
        {skipped > 0 && <Count value={skipped} label="skipped" />}
      </dl>
      {refused.length > 0 && (
        <ul className="transfer-refused">
          {refused.slice(0, SHOWN).map(({ url, error }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={index}>
              <code className="mono">{url}</code> {error.message}
            </li>
          ))}
          {refused.length > SHOWN && <li>and {refused.length - SHOWN} more in the CSV file</li>}
        </ul>
      )}
      <div className="transfer-actions">
        {libraryId ? (
          <Link to="/library/$libraryId" params={{ libraryId }} className={buttonClass('primary')}>
            Open library
          </Link>
        ) : (
          <Link to="/" className={buttonClass('primary')}>
            Open my library
          </Link>
        )}
        <Button
          icon={Download}
          onClick={() => downloadText('nexus-import.csv', 'text/csv;charset=utf-8', resultCsv(items))}
        >
          Download results (CSV)
        </Button>
        <Link to="/import" className={buttonClass('ghost')}>
          New import
        </Link>
      </div>
    </>
  );
}

function Count({ value, label }: { value: number; label: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value.toLocaleString()}</dd>
    </div>
  );
}
