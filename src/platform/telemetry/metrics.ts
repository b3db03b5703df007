/** How many of the latest samples the percentile looks at. */
const WINDOW = 1000;

interface Timing {
  count: number;
  total: number;
  window: number[];
}

export interface MetricsSnapshot {
  counters: Record<string, number>;
  timings: Record<string, { count: number; avg_ms: number; p95_ms: number }>;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Counters and timings of this process. Memory is bounded by the number of keys, which callers keep small. */
export function createMetrics() {
  const counters = new Map<string, number>();
  const timings = new Map<string, Timing>();

  return {
    increment(key: string, by = 1): void {
      counters.set(key, (counters.get(key) ?? 0) + by);
    },

    observe(key: string, milliseconds: number): void {
      const timing = timings.get(key) ?? { count: 0, total: 0, window: [] };
      timing.window[timing.count % WINDOW] = milliseconds;
      timing.count += 1;
      timing.total += milliseconds;
      timings.set(key, timing);
    },

    snapshot(): MetricsSnapshot {
      return {
        counters: Object.fromEntries(counters),
        timings: Object.fromEntries(
          [...timings].map(([key, { count, total, window }]) => [
            key,
            { count, avg_ms: rounded(total / count), p95_ms: rounded(percentile95(window)) },
          ]),
        ),
      };
    },
  };
}

function percentile95(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.floor(sorted.length * 0.95) - 1)] ?? 0;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
