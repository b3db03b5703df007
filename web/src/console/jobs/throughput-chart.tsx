import './throughput-chart.css';
import type { ReactNode } from 'react';
import { count, duration, timeOfDay } from '../format.ts';
import type { QueueThroughput } from '../types.ts';

const WIDTH = 300;
const HEIGHT = 44;

type Bucket = QueueThroughput['buckets'][number];

/** A base line, and what stands on it; what it says, in words. */
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

/** What ended over time: each bar is a stretch of it, what failed at its foot in red. */
export function ThroughputChart({ queue, buckets, finished, failed }: QueueThroughput) {
  const top = Math.max(1, ...buckets.map((bucket) => bucket.finished));
  const step = WIDTH / Math.max(1, buckets.length);
  const scale = (value: number) => (value === 0 ? 0 : Math.max(2, (value / top) * HEIGHT));
  return (
    <Chart label={`${queue}: ${count(finished)} attempts ended, ${count(failed)} of them failed`}>
      {buckets.map((bucket, index) => {
        const red = Math.min(scale(bucket.failed), HEIGHT);
        const all = Math.max(scale(bucket.finished), red);
        const x = index * step + step * 0.1;
        return (
          <g key={bucket.at}>
            <title>{inWords(bucket)}</title>
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

function inWords({ at, finished, failed, wait_p95_ms, run_p95_ms }: Bucket): string {
  if (finished === 0) return `${timeOfDay(at)}: nothing ended`;
  return `${timeOfDay(at)}: ${count(finished)} ended, ${count(failed)} failed; 95 % waited up to ${duration(wait_p95_ms)} and ran up to ${duration(run_p95_ms)}`;
}

/** How long jobs waited and ran, over time: the time that 95 of 100 stayed below. */
export function LatencyChart({ queue, buckets, wait_p95_ms, run_p95_ms }: QueueThroughput) {
  const top = Math.max(1, ...buckets.map((bucket) => Math.max(bucket.wait_p95_ms, bucket.run_p95_ms)));
  const step = WIDTH / Math.max(1, buckets.length);
  const height = (value: number) => HEIGHT - 1 - (value / top) * (HEIGHT - 3);
  /** Where nothing ended there is nothing to say: the line has a gap. */
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
    <Chart
      label={`${queue}: 95 of 100 attempts waited up to ${duration(wait_p95_ms)} and ran up to ${duration(run_p95_ms)}`}
    >
      <path className="chart-line" d={line((bucket) => bucket.run_p95_ms)} />
      <path className="chart-line chart-line-wait" d={line((bucket) => bucket.wait_p95_ms)} />
    </Chart>
  );
}
