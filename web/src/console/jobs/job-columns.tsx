import type { Column } from '../../ui/data-table.tsx';
import { ConsoleLink } from '../console-link.tsx';
import { shortId } from '../format.ts';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import type { JobSummary } from '../types.ts';

export const jobColumns: readonly Column<JobSummary>[] = [
  {
    key: 'job',
    title: 'Job',
    render: ({ job_id, job_type }) => (
      <ConsoleLink to={`jobs/${job_id}`} className="console-row-link" title={job_id}>
        {job_type} <span className="mono muted">{shortId(job_id)}</span>
      </ConsoleLink>
    ),
  },
  { key: 'status', title: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'error',
    title: 'Last error',
    render: ({ error_text, error_code }) =>
      (error_text || error_code) && (
        <span className="console-cell-error" title={error_text ?? undefined}>
          {error_code && <b>{error_code} </b>}
          {error_text}
        </span>
      ),
  },
  { key: 'queue', title: 'Queue', render: ({ queue }) => queue },
  {
    key: 'attempts',
    title: 'Attempts',
    numeric: true,
    render: ({ attempt_count, max_attempts }) => `${attempt_count} of ${max_attempts}`,
  },
  {
    key: 'by',
    title: 'Created by',
    render: ({ created_by }) => created_by ?? <span className="muted">Nexus</span>,
  },
  { key: 'created', title: 'Created', render: ({ created_at }) => <Time at={created_at} /> },
  { key: 'updated', title: 'Updated', render: ({ updated_at }) => <Time at={updated_at} /> },
];
