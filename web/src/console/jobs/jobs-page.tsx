import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { useEffect, useState } from 'react';
import { queryKeys } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ConsolePage, useSeesAllContent } from '../console-page.tsx';
import {
  FilterBar,
  FilterSelect,
  FilterText,
  minutesAgo,
  StatusFilter,
  TIMES,
  TimeFilter,
  useFilters,
} from '../filters.tsx';
import { ListView, useList } from '../list.tsx';
import { jobStatsQuery } from '../queries.ts';
import { JOB_FILTERS } from '../sections.ts';
import type { JobStatus, JobSummary } from '../types.ts';
import { CellError, RowLink, StatusBadge, Time } from '../values.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { Failures } from './failures.tsx';
import { Queues } from './queues.tsx';

/** All job statuses. The type keeps the list complete. */
const STATUSES: Record<JobStatus, true> = {
  queued: true,
  running: true,
  retry_wait: true,
  failed: true,
  cancelled: true,
  succeeded: true,
};

const COLUMNS: readonly Column<JobSummary>[] = [
  { title: 'Job', render: ({ job_id, job_type }) => <RowLink to="jobs" name={job_type} id={job_id} /> },
  { title: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Last error',
    render: ({ error_text, error_code }) => <CellError code={error_code} text={error_text} />,
  },
  { title: 'Queue', render: ({ queue }) => queue },
  {
    title: 'Attempts',
    numeric: true,
    render: ({ attempt_count, max_attempts }) => `${attempt_count} of ${max_attempts}`,
  },
  {
    title: 'Created by',
    render: ({ created_by }) => created_by ?? <span className="muted">Nexus</span>,
  },
  {
    title: 'Created',
    render: ({ created_at, updated_at }) => (
      <span className="console-times">
        <Time at={created_at} />
        <span className="muted">
          updated <Time at={updated_at} />
        </span>
      </span>
    ),
  },
];

export default function JobsPage() {
  const [{ view = 'jobs', window = '60' }, change] = useFilters();
  return (
    <ConsolePage
      title="Jobs"
      lead="Waiting, running and finished jobs."
      actions={<FilterSelect name="window" label="Time range of the charts" usual="60" options={TIMES} />}
    >
      <div className="console-strip">
        <Queues minutes={window} />
      </div>
      <div className="section">
        <Tabs
          label="Jobs"
          value={view}
          onChange={(chosen) => change({ view: chosen === 'jobs' ? undefined : chosen })}
          tabs={[
            { value: 'jobs', label: 'All jobs', content: view === 'jobs' && <JobList /> },
            { value: 'failures', label: 'Failures by cause', content: view === 'failures' && <Failures /> },
          ]}
        />
      </div>
    </ConsolePage>
  );
}

function JobList() {
  const [search, change, clear] = useFilters(JOB_FILTERS);
  const seesAllContent = useSeesAllContent();
  const [selected, setSelected] = useState<ReadonlySet<React.Key>>(new Set());
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters list other jobs
  useEffect(() => setSelected(new Set()), [search]);
  const queues = useQuery(jobStatsQuery).data?.map(({ queue }) => queue) ?? [];
  const { view: _view, window: _window, minutes, ...conditions } = search;
  const filters = { ...conditions, created_after: search.created_after ?? minutesAgo(minutes) };
  const list = useList<JobSummary>('/jobs', queryKeys.jobList(), filters);
  return (
    <>
      <FilterBar clears={JOB_FILTERS}>
        <StatusFilter statuses={Object.keys(STATUSES)} />
        <FilterSelect
          name="queue"
          label="Queue"
          all="All queues"
          options={[...new Set([...queues, ...(search.queue ? [search.queue] : [])])]}
        />
        <TimeFilter />
        <FilterText
          name="job_type"
          label="Type"
          suggestions={[...new Set(list.rows?.map(({ job_type }) => job_type))]}
        />
        <FilterText name="error_code" label="Error code" />
        {seesAllContent && <FilterText name="error" label="Error text" wide />}
        {search.failure_id && (
          <Button size="small" onClick={() => change({ failure_id: undefined })}>
            Same error ✕
          </Button>
        )}
      </FilterBar>
      <BulkBar
        selected={[...selected] as string[]}
        rows={list.rows}
        filter={filters}
        isFiltered={clear !== undefined}
        onDone={() => setSelected(new Set())}
      />
      <ListView
        label="Jobs"
        list={list}
        columns={COLUMNS}
        rowKey={({ job_id }) => job_id}
        selection={{ selected, onChange: setSelected }}
        empty={
          clear ? (
            <EmptyState
              icon={ListChecks}
              title="No jobs match these filters"
              actions={<Button onClick={clear}>Clear filters</Button>}
            >
              Finished jobs are deleted after a while.
            </EmptyState>
          ) : (
            <EmptyState icon={ListChecks} title="No jobs yet">
              Saving a link, sharing a library or running an audit creates a job.
            </EmptyState>
          )
        }
      />
    </>
  );
}
