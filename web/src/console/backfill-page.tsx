import { useQuery } from '@tanstack/react-query';
import { CloudDownload, RotateCcw } from 'lucide-react';
import {
  BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS,
  BACKFILL_PENDING_COUNT_GUARDRAIL,
} from '../../../src/contract/backfill-guardrails.ts';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { count } from '../ui/numbers.ts';
import { EmptyState } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { ConsolePage } from './console-page.tsx';
import { FilterBar, StatusFilter, useFilters } from './filters.tsx';
import { duration } from './format.ts';
import { ListView, useList } from './list.tsx';
import { backfillHealthQuery } from './queries.ts';
import type { Backfill, RequeuedBackfill } from './types.ts';
import { Code, ConsoleLink, Stat, StatusBadge, Time } from './values.tsx';

const keyOf = ({ default_library_id, source_library_id, user_id }: Backfill) => ({
  default_library_id,
  source_library_id,
  user_id,
});

export default function BackfillPage() {
  const [filters] = useFilters();
  const list = useList<Backfill>('/backfill-jobs', queryKeys.backfillList(), filters);
  const requeue = useAction<Backfill, RequeuedBackfill>({
    run: (row) => api.postData('/backfill-jobs/requeue', keyOf(row)),
    stale: [queryKeys.backfills()],
    message: ({ idempotent }) => (idempotent ? 'It is already running.' : 'Retry started.'),
  });
  const columns: readonly Column<Backfill>[] = [
    { title: 'Member', render: ({ username }) => username },
    {
      title: 'Library',
      render: ({ source_library_name }) => source_library_name ?? <span className="muted">a library</span>,
    },
    { title: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
    { title: 'Failed attempts', numeric: true, render: ({ attempts }) => attempts },
    {
      title: 'Last error',
      render: ({ last_error_code }) => last_error_code && <Code>{last_error_code}</Code>,
    },
    { title: 'Due', render: ({ status, due_at }) => status === 'pending' && <Time at={due_at} /> },
    { title: 'Updated', render: ({ updated_at }) => <Time at={updated_at} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      render: (row) => (
        <span className="row console-row-actions">
          {row.job_id && (
            <ConsoleLink to={`jobs/${row.job_id}`} className="small">
              Job
            </ConsoleLink>
          )}
          <Button
            size="small"
            icon={RotateCcw}
            disabled={row.status === 'running'}
            busy={requeue.isPending && requeue.variables === row}
            onClick={() => requeue.mutate(row)}
          >
            Retry
          </Button>
        </span>
      ),
    },
  ];
  return (
    <ConsolePage title="Backfill" lead="New members receive a library's existing items. Each row is one run.">
      <Health />
      <FilterBar>
        <StatusFilter statuses={['pending', 'running', 'completed', 'failed']} />
      </FilterBar>
      <ListView
        label="Backfills"
        list={list}
        columns={columns}
        rowKey={(row) => Object.values(keyOf(row)).join()}
        empty={
          <EmptyState
            icon={CloudDownload}
            title={filters.status ? `No ${filters.status} backfills` : 'No backfills yet'}
          >
            A backfill is listed here when someone accepts an invitation.
          </EmptyState>
        }
      />
    </ConsolePage>
  );
}

function Health() {
  const health = useQuery(backfillHealthQuery).data;
  const age = health?.pending_age_p95_seconds ?? 0;
  const pending = health?.pending_count ?? 0;
  return (
    <div className="console-stats">
      <Stat
        label="Health"
        value={health && (health.degraded ? 'Degraded' : 'OK')}
        note="degraded when a limit is exceeded"
        tone={health?.degraded && 'danger'}
      />
      <Stat
        label="Pending"
        value={health && count(pending)}
        note={`limit ${count(BACKFILL_PENDING_COUNT_GUARDRAIL)}`}
        tone={pending > BACKFILL_PENDING_COUNT_GUARDRAIL && 'danger'}
      />
      <Stat
        label="Waiting time (p95)"
        value={health && duration(age * 1000)}
        note={`limit ${duration(BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS * 1000)}`}
        tone={age > BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS && 'danger'}
      />
    </div>
  );
}
