import { useQuery } from '@tanstack/react-query';
import { Cpu } from 'lucide-react';
import { Badge } from '../ui/badge.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { ConsolePage } from './console-page.tsx';
import { workersQuery } from './queries.ts';
import { Time, useNow } from './time.tsx';
import type { Worker } from './types.ts';

const COLUMNS: readonly Column<Worker>[] = [
  { key: 'name', title: 'Worker', render: ({ name }) => <code className="mono">{name}</code> },
  { key: 'state', title: 'Status', render: (worker) => <WorkerStatus worker={worker} /> },
  {
    key: 'queues',
    title: 'Queues',
    render: ({ queues }) => (
      <span className="row">
        {queues.map((queue) => (
          <Badge key={queue}>{queue}</Badge>
        ))}
      </span>
    ),
  },
  { key: 'slots', title: 'Slots', render: (worker) => <Slots worker={worker} /> },
  { key: 'heartbeat', title: 'Last heartbeat', render: ({ heartbeat_at }) => <Time at={heartbeat_at} /> },
  { key: 'started', title: 'Started', render: ({ started_at }) => <Time at={started_at} /> },
];

export default function WorkersPage() {
  const workers = useQuery(workersQuery);
  return (
    <ConsolePage
      title="Workers"
      lead="Processes that run jobs. When the lease of a worker expires, its jobs run elsewhere."
    >
      {workers.error && !workers.data ? (
        <ErrorState error={workers.error} onRetry={() => void workers.refetch()} />
      ) : workers.data?.length === 0 ? (
        <EmptyState icon={Cpu} title="No workers">
          Jobs stay queued until a worker runs. Start <code className="mono">nexus worker</code>, or{' '}
          <code className="mono">nexus serve</code> without <code className="mono">--no-worker</code>.
        </EmptyState>
      ) : (
        <DataTable
          label="Workers"
          columns={COLUMNS}
          rows={workers.data}
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

function Slots({ worker: { running_count, concurrency } }: { worker: Worker }) {
  return (
    <span className="console-slots">
      <meter min={0} max={concurrency} value={running_count} aria-label="Busy slots" />
      {running_count} of {concurrency} busy
    </span>
  );
}
