import { useQuery } from '@tanstack/react-query';
import { CloudDownload, RotateCcw } from 'lucide-react';
import {
  BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS,
  BACKFILL_PENDING_COUNT_GUARDRAIL,
} from '../../../src/contract/libraries.ts';
import { api } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ConsoleLink } from './console-link.tsx';
import { ConsolePage } from './console-page.tsx';
import { FilterBar, FilterSelect } from './filter-bar.tsx';
import { useFilters } from './filters.ts';
import { count, duration } from './format.ts';
import { ListView } from './list-view.tsx';
import { useList } from './lists.ts';
import { backfillHealthQuery } from './queries.ts';
import { Stat } from './stat.tsx';
import { StatusBadge } from './status-badge.tsx';
import { Time } from './time.tsx';
import type { Backfill, RequeuedBackfill } from './types.ts';
import { useDeed } from './use-deed.ts';

const STATES = ['pending', 'running', 'completed', 'failed'].map((value) => ({ value, label: value }));
const keyOf = ({ default_library_id, source_library_id, user_id }: Backfill) => ({
  default_library_id,
  source_library_id,
  user_id,
});

export default function BackfillPage() {
  const [filters, change] = useFilters();
  const list = useList<'backfill_jobs', Backfill>('backfill_jobs', {
    queryKey: ['backfills', 'list'],
    path: '/api/v1/backfill-jobs',
    filters,
  });
  const requeue = useDeed<Backfill, RequeuedBackfill>({
    run: (row) => api.post('/api/v1/backfill-jobs/requeue', keyOf(row)),
    stale: [['backfills']],
    said: ({ idempotent, enqueue_dispatched }) => {
      if (idempotent) return 'It is running already.';
      return enqueue_dispatched
        ? 'Pending again, and on its way to a worker.'
        : 'Pending again; the next sweep sends it to a worker.';
    },
  });
  const columns: readonly Column<Backfill>[] = [
    { key: 'who', title: 'Member', render: ({ username }) => username },
    {
      key: 'from',
      title: 'Joined',
      render: ({ source_library_name }) => source_library_name ?? <span className="muted">a library</span>,
    },
    { key: 'status', title: 'State', render: ({ status }) => <StatusBadge status={status} /> },
    { key: 'attempts', title: 'Failed attempts', numeric: true, render: ({ attempts }) => attempts },
    {
      key: 'error',
      title: 'Last error',
      render: ({ last_error_code }) => last_error_code && <code className="mono">{last_error_code}</code>,
    },
    {
      key: 'due',
      title: 'Due',
      render: ({ status, due_at }) => (status === 'pending' ? <Time at={due_at} /> : null),
    },
    { key: 'updated', title: 'Changed', render: ({ updated_at }) => <Time at={updated_at} /> },
    {
      key: 'deeds',
      title: <span className="visually-hidden">Actions</span>,
      render: (row) => (
        <span className="row console-row-deeds">
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
            Requeue
          </Button>
        </span>
      ),
    },
  ];
  return (
    <ConsolePage
      title="Backfill"
      lead="Who joins a library gets what it holds into their own. Each row is one such filling."
    >
      <Health />
      <FilterBar>
        <FilterSelect
          label="State"
          all="Every state"
          value={filters.status}
          options={STATES}
          onChange={(status) => change({ status })}
        />
      </FilterBar>
      <ListView
        label="Backfills"
        list={list}
        columns={columns}
        rows={list.rows}
        rowKey={(row) => Object.values(keyOf(row)).join()}
        empty={
          <EmptyState
            icon={CloudDownload}
            title={filters.status ? `None is ${filters.status}` : 'Nobody has joined yet'}
          >
            When somebody accepts an invitation, their library is filled, and the filling is listed here.
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
        value={health ? (health.degraded ? 'Degraded' : 'Well') : '…'}
        note="degraded beyond either limit"
        tone={health?.degraded ? 'danger' : 'plain'}
      />
      <Stat
        label="Pending"
        value={health ? count(pending) : '…'}
        note={`limit ${count(BACKFILL_PENDING_COUNT_GUARDRAIL)}`}
        tone={pending > BACKFILL_PENDING_COUNT_GUARDRAIL ? 'danger' : 'plain'}
      />
      <Stat
        label="95 % have waited up to"
        value={health ? duration(age * 1000) : '…'}
        note={`limit ${duration(BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS * 1000)}`}
        tone={age > BACKFILL_PENDING_AGE_P95_GUARDRAIL_SECONDS ? 'danger' : 'plain'}
      />
    </div>
  );
}
