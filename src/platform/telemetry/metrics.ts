/** How many of the latest samples the percentile looks at. */
const WINDOW = 1000;
const MEASURED_FOR_MS = 5000;

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
  const gauges: (() => Promise<Record<string, number>>)[] = [];
  let measured: { at: number; values: Promise<Record<string, number>> } | undefined;

  /** What cannot be measured now is left away: a database that is down must not take the metrics with it. */
  async function measure(): Promise<Record<string, number>> {
    const values = await Promise.allSettled(gauges.map((gauge) => gauge()));
    return Object.assign({}, ...values.map((value) => (value.status === 'fulfilled' ? value.value : {})));
  }

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

    /** What is measured when somebody looks, and at most once in a few seconds however many do. */
    gauge(read: () => Promise<Record<string, number>>): void {
      gauges.push(read);
    },

    /** The snapshot, with what the gauges say among the counters. */
    async read(): Promise<MetricsSnapshot> {
      const now = performance.now();
      if (!measured || now - measured.at > MEASURED_FOR_MS) measured = { at: now, values: measure() };
      const { counters, timings } = this.snapshot();
      return { counters: { ...counters, ...(await measured.values) }, timings };
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
