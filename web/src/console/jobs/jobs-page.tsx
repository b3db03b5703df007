import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ConsolePage } from '../console-page.tsx';
import { useSeesAllContent } from '../content.tsx';
import { FilterBar, FilterSelect, FilterText, LONG_TIMES, minutesAgo, TIMES } from '../filter-bar.tsx';
import { type Filters, useFilters } from '../filters.ts';
import { ListView } from '../list-view.tsx';
import { useList } from '../lists.ts';
import { jobStatsQuery } from '../queries.ts';
import { statusLabel } from '../status-badge.tsx';
import type { JobStatus, JobSummary } from '../types.ts';
import { BulkBar } from './bulk-bar.tsx';
import { Failures } from './failures.tsx';
import { jobColumns } from './job-columns.tsx';
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

const PAGE_PARAMS = { view: undefined, window: undefined, minutes: undefined };

export default function JobsPage() {
  const [filters, change] = useFilters();
  const { view = 'jobs', window = '60' } = filters;
  return (
    <ConsolePage
      title="Jobs"
      lead="Waiting, running and finished jobs."
      actions={
        <FilterSelect
          label="Time range of the charts"
          value={window}
          options={TIMES}
          onChange={(chosen) => change({ window: chosen === '60' ? undefined : chosen })}
        />
      }
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
            {
              value: 'failures',
              label: 'Failures by cause',
              content: view === 'failures' && <FailureList />,
            },
          ]}
        />
      </div>
    </ConsolePage>
  );
}

function JobList() {
  const [filters, change] = useFilters();
  const seesAllContent = useSeesAllContent();
  const [selected, setSelected] = useState<ReadonlySet<React.Key>>(new Set());
  const queues = useQuery(jobStatsQuery).data?.map(({ queue }) => queue) ?? [];
  const conditions: Filters = {
    ...filters,
    ...PAGE_PARAMS,
    created_after: filters.created_after ?? minutesAgo(filters.minutes),
  };
  const list = useList<'jobs', JobSummary>('jobs', {
    queryKey: queryKeys.jobList(),
    path: '/api/v1/jobs',
    filters: conditions,
  });
  const isFiltered = Object.values(conditions).some((value) => value !== undefined);
  const clear = () => {
    setSelected(new Set());
    change(Object.fromEntries(Object.keys({ ...conditions, minutes: '' }).map((name) => [name, undefined])));
  };
  const set = (name: string) => (value: string | undefined) => {
    setSelected(new Set());
    change({ [name]: value });
  };
  return (
    <>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        <FilterSelect
          label="Status"
          all="All statuses"
          value={filters.status}
          options={Object.keys(STATUSES).map((value) => ({ value, label: statusLabel(value) }))}
          onChange={set('status')}
        />
        <FilterSelect
          label="Queue"
          all="All queues"
          value={filters.queue}
          options={[...new Set([...queues, ...(filters.queue ? [filters.queue] : [])])].map((value) => ({
            value,
            label: value,
          }))}
          onChange={set('queue')}
        />
        <FilterSelect
          label="Time"
          all="Any time"
          value={filters.minutes}
          options={LONG_TIMES}
          onChange={set('minutes')}
        />
        <FilterText
          label="Type"
          value={filters.job_type}
          suggestions={[...new Set(list.rows?.map(({ job_type }) => job_type))]}
          onChange={set('job_type')}
        />
        <FilterText label="Error code" value={filters.error_code} onChange={set('error_code')} />
        {seesAllContent && (
          <FilterText label="Error text" wide value={filters.error} onChange={set('error')} />
        )}
        {filters.failure_id && (
          <Button size="small" onClick={() => change({ failure_id: undefined })}>
            Same error ✕
          </Button>
        )}
      </FilterBar>
      <BulkBar
        selected={[...selected] as string[]}
        rows={list.rows}
        filter={conditions}
        isFiltered={isFiltered}
        onDone={() => setSelected(new Set())}
      />
      <ListView
        label="Jobs"
        list={list}
        columns={jobColumns}
        rows={list.rows}
        rowKey={({ job_id }) => job_id}
        selection={{ selected, onChange: setSelected }}
        empty={
          isFiltered ? (
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

function FailureList() {
  const [filters, change] = useFilters();
  const { minutes = '1440', job_type, queue } = filters;
  return (
    <>
      <FilterBar>
        <FilterSelect
          label="Time"
          value={minutes}
          options={LONG_TIMES}
          onChange={(chosen) => change({ minutes: chosen === '1440' ? undefined : chosen })}
        />
        <FilterText label="Type" value={job_type} onChange={(value) => change({ job_type: value })} />
      </FilterBar>
      <Failures minutes={minutes} filter={{ ...(job_type && { job_type }), ...(queue && { queue }) }} />
    </>
  );
}
