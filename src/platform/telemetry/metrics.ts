import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { z } from 'zod';
import type { metrics } from '../../contract/operations.ts';
import { createObservations } from './observations.ts';
import { observeProcess } from './process-metrics.ts';

/** From a millisecond to ten seconds. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Gauges are measured at most once in this time, however many callers read them. */
const MEASURED_FOR_MS = 5000;
/** The 95th percentile is taken over this many of the latest requests. */
const WINDOW = 1000;

interface AnsweredRequest {
  method: string;
  /** The route's pattern, never the path: the number of series must stay small. */
  route: string;
  status: number;
  /** Undefined for a stream, which lasts for as long as its reader stays. */
  seconds: number | undefined;
}

/** One value of a gauge, at the moment somebody reads the metrics. */
export interface Measurement {
  /** Its name in Prometheus. */
  name: string;
  help: string;
  labels?: Record<string, string>;
  value: number;
  /** Its name among the counters of `GET /metrics`, if it is there. */
  key?: string;
}

interface Measured {
  measurements: Measurement[];
  gauges: Registry;
}

export type MetricSource = () => Promise<Measurement[]> | Measurement[];

export type { EndedTask } from './observations.ts';

type MetricsSnapshot = z.output<typeof metrics>;

export type Metrics = ReturnType<typeof createMetrics>;

/** Collects the metrics of this process, and the backlogs of the installation, as JSON and for Prometheus. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'nexus_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'nexus_http_request_duration_seconds',
    help: 'How long answers took; streams are left out.',
    labelNames: ['method', 'route'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const latest: number[] = [];
  let timed = 0;
  const sources: MetricSource[] = [];
  let measuring: { at: number; done: Promise<Measured> } | undefined;
  let stopObserving: (() => void) | undefined;

  /** A source that fails is left out: a database that is down must not take the metrics with it. */
  async function measure(): Promise<Measured> {
    const found = await Promise.allSettled(sources.map(async (source) => source()));
    const measurements = found.flatMap((source) => (source.status === 'fulfilled' ? source.value : []));
    // New gauges each time: one that is kept and reset would say 0 for what could not be measured.
    const gauges = new Registry();
    for (const { name, help, labels = {}, value } of measurements) {
      const known = gauges.getSingleMetric(name) as Gauge | undefined;
      const labelNames = Object.keys(labels);
      (known ?? new Gauge({ name, help, labelNames, registers: [gauges] })).set(labels, value);
    }
    return { measurements, gauges };
  }

  function measured(): Promise<Measured> {
    const now = performance.now();
    if (!measuring || now - measuring.at > MEASURED_FOR_MS) measuring = { at: now, done: measure() };
    return measuring.done;
  }

  async function countByStatus(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { labels, value } of (await requests.get()).values) {
      const key = `http.status.${labels.status}`;
      counts[key] = (counts[key] ?? 0) + value;
    }
    return counts;
  }

  async function requestTimings(): Promise<MetricsSnapshot['timings']> {
    if (timed === 0) return {};
    const { values } = await requestSeconds.get();
    const total = values.reduce(
      (sum, { metricName, value }) => (metricName?.endsWith('_sum') ? sum + value : sum),
      0,
    );
    const [avg_ms, p95_ms] = [rounded((total * 1000) / timed), rounded(percentile95(latest))];
    return { 'http.request.ms': { count: timed, avg_ms, p95_ms } };
  }

  return {
    contentType: registry.contentType,
    ...createObservations(registers),

    observeRequest({ method, route, status, seconds }: AnsweredRequest): void {
      requests.inc({ method, route, status });
      if (seconds === undefined) return;
      requestSeconds.observe({ method, route }, seconds);
      latest[timed % WINDOW] = seconds * 1000;
      timed += 1;
    },

    /** Adds a source of gauges, which is read when somebody reads the metrics. */
    addSource(source: MetricSource): void {
      sources.push(source);
    },

    /** Measures the process itself: memory, garbage collection and the event loop. For processes that export metrics. */
    observeProcess(): void {
      stopObserving ??= observeProcess(registry);
    },

    /** Counters and timings for `GET /metrics`. */
    async read(): Promise<MetricsSnapshot> {
      const counters = await countByStatus();
      for (const { key, value } of (await measured()).measurements) if (key) counters[key] = value;
      return { counters, timings: await requestTimings() };
    },

    /** Every series in the text format of Prometheus. */
    async write(): Promise<string> {
      const { gauges } = await measured();
      return `${await registry.metrics()}\n${await gauges.metrics()}`;
    },

    close: () => stopObserving?.(),
  };
}

function percentile95(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.floor(sorted.length * 0.95) - 1)] ?? 0;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
