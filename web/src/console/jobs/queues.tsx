import './throughput-chart.css';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { timeOfDay } from '../../ui/dates.ts';
import { count, plural } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/states.tsx';
import { duration } from '../format.ts';
import { jobStatsQuery, throughputQuery } from '../queries.ts';
import type { QueueStats, QueueThroughput } from '../types.ts';
import { ConsoleLink } from '../values.tsx';

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
  const names = [...new Set([...stats.data, ...flow.data.queues].map(({ queue }) => queue))];
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
          stats={stats.data.find(({ queue }) => queue === name)}
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

const WIDTH = 300;
const HEIGHT = 44;

type Bucket = QueueThroughput['buckets'][number];

/** An SVG chart with a base line and an accessible description. */
function Chart({ label, children }: { label: string; children: ReactNode }) {
  return (
    <svg
      className="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      height={HEIGHT}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line className="chart-base" x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      {children}
    </svg>
  );
}

/** Finished attempts over time. Failed ones are red, at the bottom of each bar. */
function ThroughputChart({ queue, buckets, finished, failed }: QueueThroughput) {
  const top = Math.max(1, ...buckets.map((bucket) => bucket.finished));
  const step = WIDTH / Math.max(1, buckets.length);
  const scale = (value: number) => (value === 0 ? 0 : Math.max(2, (value / top) * HEIGHT));
  return (
    <Chart label={`${queue}: ${count(finished)} attempts finished, ${count(failed)} of them failed`}>
      {buckets.map((bucket, index) => {
        const red = Math.min(scale(bucket.failed), HEIGHT);
        const all = Math.max(scale(bucket.finished), red);
        const x = index * step + step * 0.1;
        return (
          <g key={bucket.at}>
            <title>{describeBucket(bucket)}</title>
            <rect className="chart-hit" x={index * step} y={0} width={step} height={HEIGHT} />
            <rect className="chart-bar" x={x} y={HEIGHT - all} width={step * 0.8} height={all - red} />
            <rect
              className="chart-bar chart-bar-danger"
              x={x}
              y={HEIGHT - red}
              width={step * 0.8}
              height={red}
            />
          </g>
        );
      })}
    </Chart>
  );
}

function describeBucket({ at, finished, failed, wait_p95_ms, run_p95_ms }: Bucket): string {
  if (finished === 0) return `${timeOfDay(at)}: no attempts finished`;
  return `${timeOfDay(at)}: ${count(finished)} finished, ${count(failed)} failed; p95: waited ${duration(wait_p95_ms)}, ran ${duration(run_p95_ms)}`;
}

/** The 95th percentile of waiting and running times. */
function LatencyChart({ queue, buckets, wait_p95_ms, run_p95_ms }: QueueThroughput) {
  const top = Math.max(1, ...buckets.map((bucket) => Math.max(bucket.wait_p95_ms, bucket.run_p95_ms)));
  const step = WIDTH / Math.max(1, buckets.length);
  const height = (value: number) => HEIGHT - 1 - (value / top) * (HEIGHT - 3);
  /** The line has gaps where no attempt finished. */
  const line = (read: (bucket: Bucket) => number) =>
    buckets
      .map((bucket, index) => {
        if (bucket.finished === 0) return '';
        const isFirst = !buckets[index - 1]?.finished;
        const isLast = !buckets[index + 1]?.finished;
        const [left, middle, right] = [index * step, (index + 0.5) * step, (index + 1) * step];
        const y = height(read(bucket));
        return `${isFirst ? `M${left},${y}` : ''}L${middle},${y}${isLast ? `L${right},${y}` : ''}`;
      })
      .join('');
  return (
    <Chart label={`${queue}: 95th percentile: waited ${duration(wait_p95_ms)}, ran ${duration(run_p95_ms)}`}>
      <path className="chart-line" d={line((bucket) => bucket.run_p95_ms)} />
      <path className="chart-line chart-line-wait" d={line((bucket) => bucket.wait_p95_ms)} />
    </Chart>
  );
}
