import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { Button, buttonClass } from '../ui/button.tsx';
import { downloadText } from './download.ts';
import { countItems, type ImportItem, resultCsv } from './imports.ts';

interface ImportResultProps {
  jobs: { job_id: string; status: string; error_text: string | null }[];
  items: ImportItem[];
  total: number;
  libraryId: string | undefined;
}

const SHOWN = 100;

export function ImportResult({ jobs, items, total, libraryId }: ImportResultProps) {
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
