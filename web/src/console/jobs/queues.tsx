import { useQuery } from '@tanstack/react-query';
import { count, plural } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/states.tsx';
import { duration } from '../format.ts';
import { jobStatsQuery, throughputQuery } from '../queries.ts';
import type { QueueStats, QueueThroughput } from '../types.ts';
import { ConsoleLink } from '../values.tsx';
import { LatencyChart, ThroughputChart } from './throughput-chart.tsx';

const SLOW_SECONDS = 60;

/** A card for each queue: its current jobs, throughput and latency. */
export function Queues({ minutes }: { minutes: string }) {
  const stats = useQuery(jobStatsQuery);
  const flow = useQuery(throughputQuery(minutes));
  if (!stats.data || !flow.data) {
    return (
      <div className="console-queues">
        <Skeleton height="12rem" />
        <Skeleton height="12rem" />
      </div>
    );
  }
  const names = [...new Set([...stats.data.queues, ...flow.data.queues].map(({ queue }) => queue))];
  if (names.length === 0) {
    return (
      <p className="card muted">No jobs in this time range. Queues appear here as soon as there are jobs.</p>
    );
  }
  return (
    <div className="console-queues">
      {names.toSorted().map((name) => (
        <Queue
          key={name}
          name={name}
          stats={stats.data.queues.find(({ queue }) => queue === name)}
          flow={flow.data.queues.find(({ queue }) => queue === name)}
        />
      ))}
    </div>
  );
}

interface QueueProps {
  name: string;
  stats: QueueStats | undefined;
  flow: QueueThroughput | undefined;
}

const COUNTS = { queued: 'queued', running: 'running', retry_wait: 'to retry' } as const;

function Queue({ name, stats, flow }: QueueProps) {
  const oldest = stats?.oldest_due_seconds ?? 0;
  return (
    <section className="card console-queue" aria-label={`Queue ${name}`}>
      <header className="row spread">
        <h3 className="console-queue-name">{name}</h3>
        {oldest >= 1 && (
          <span className={`small ${oldest > SLOW_SECONDS ? 'console-amber' : 'muted'}`}>
            oldest due for {duration(oldest * 1000)}
          </span>
        )}
      </header>
      <div className="console-counts">
        {(['queued', 'running', 'retry_wait'] as const).map((status) => (
          <ConsoleLink key={status} to="jobs" search={{ queue: name, status }} className="console-count">
            <span className="console-count-value">{count(stats?.[status] ?? 0)}</span>
            <span className="console-count-label">{COUNTS[status]}</span>
          </ConsoleLink>
        ))}
      </div>
      {flow ? (
        <>
          <ThroughputChart {...flow} />
          <p className="small muted">
            {plural(flow.finished, 'attempt')} finished
            {flow.failed > 0 && <span className="console-danger">, {count(flow.failed)} failed</span>}
          </p>
          <LatencyChart {...flow} />
          <p className="small muted">
            <span className="console-key console-key-run" aria-hidden /> ran {duration(flow.run_p50_ms)}, p95{' '}
            {duration(flow.run_p95_ms)}
            <br />
            <span className="console-key console-key-wait" aria-hidden /> waited {duration(flow.wait_p50_ms)},
            p95 {duration(flow.wait_p95_ms)}
          </p>
        </>
      ) : (
        <p className="small muted">No attempts finished in this time range.</p>
      )}
    </section>
  );
}
