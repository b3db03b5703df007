import { useQuery } from '@tanstack/react-query';
import { Cpu } from 'lucide-react';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Badge, EmptyState, ErrorState } from '../ui/states.tsx';
import { ConsolePage } from './console-page.tsx';
import { workersQuery } from './queries.ts';
import type { Worker } from './types.ts';
import { Code, Time, useNow } from './values.tsx';

const COLUMNS: readonly Column<Worker>[] = [
  { title: 'Worker', render: ({ name }) => <Code>{name}</Code> },
  { title: 'Status', render: (worker) => <WorkerStatus worker={worker} /> },
  {
    title: 'Queues',
    render: ({ queues }) => (
      <span className="row">
        {queues.map((queue) => (
          <Badge key={queue}>{queue}</Badge>
        ))}
      </span>
    ),
  },
  {
    title: 'Slots',
    render: ({ running_count, concurrency }) => (
      <span className="console-slots">
        <meter min={0} max={concurrency} value={running_count} aria-label="Busy slots" />
        {running_count} of {concurrency} busy
      </span>
    ),
  },
  { title: 'Last heartbeat', render: ({ heartbeat_at }) => <Time at={heartbeat_at} /> },
  { title: 'Started', render: ({ started_at }) => <Time at={started_at} /> },
];

export default function WorkersPage() {
  const query = useQuery(workersQuery);
  const workers = query.data;
  return (
    <ConsolePage
      title="Workers"
      lead="Processes that run jobs. When the lease of a worker expires, its jobs run elsewhere."
    >
      {query.error && !workers ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : workers?.length === 0 ? (
        <EmptyState icon={Cpu} title="No workers">
          Jobs stay queued until a worker runs. Start <Code>nexus worker</Code>, or <Code>nexus serve</Code>{' '}
          without <Code>--no-worker</Code>.
        </EmptyState>
      ) : (
        <DataTable
          label="Workers"
          columns={COLUMNS}
          rows={workers}
          rowKey={({ id }) => id}
          skeletonRows={3}
        />
      )}
    </ConsolePage>
  );
}

function WorkerStatus({ worker }: { worker: Worker }) {
  const isLate = Date.parse(worker.lease_expires_at) < useNow();
  return <Badge tone={isLate ? 'danger' : 'accent'}>{isLate ? 'lease expired' : 'running'}</Badge>;
}
