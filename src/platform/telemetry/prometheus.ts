import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** From a millisecond to ten seconds. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From an idle worker's milliseconds to a backlog of an hour. */
const JOB_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const MEASURED_FOR_MS = 5000;
const NANOSECONDS = 1e9;

export interface AnsweredRequest {
  method: string;
  /** As it was registered, so that there are few. */
  route: string;
  status: number;
  /** Undefined for a stream, which lasts for as long as its reader stays. */
  seconds: number | undefined;
}

export interface EndedAttempt {
  job_type: string;
  /** From when it was due until it began. */
  waitedMs: number;
  runtimeMs: number;
}

/** One value, or one for each set of labels. */
export type Measured = { name: string; help: string; labels?: Record<string, string>; value: number }[];

export type Prometheus = ReturnType<typeof createPrometheus>;

/** What this process has done, and, whenever somebody looks, how the whole installation stands. */
export function createPrometheus() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
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
  const jobLatency = new Histogram({
    name: 'nexus_job_latency_seconds',
    help: 'How long attempts that this process ran had been due before they began.',
    labelNames: ['job_type'],
    buckets: JOB_SECONDS,
    registers,
  });
  const jobDuration = new Histogram({
    name: 'nexus_job_duration_seconds',
    help: 'How long attempts that this process ran took.',
    labelNames: ['job_type'],
    buckets: JOB_SECONDS,
    registers,
  });
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  new Gauge({
    name: 'nexus_event_loop_lag_seconds',
    help: 'How long the event loop was held up since the last look.',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const quantile of [0.5, 0.99]) {
        const nanoseconds = lag.count === 0 ? 0 : lag.percentile(quantile * 100);
        this.set({ quantile: String(quantile) }, nanoseconds / NANOSECONDS);
      }
      lag.reset();
    },
  });

  const gauges = new Map<string, Gauge>();
  const sources: (() => Promise<Measured> | Measured)[] = [];
  let measuring: { at: number; done: Promise<void> } | undefined;

  /** What cannot be measured now is left away: a database that is down must not take the metrics with it. */
  async function measure(): Promise<void> {
    const found = await Promise.allSettled(sources.map(async (source) => source()));
    for (const gauge of gauges.values()) gauge.reset();
    for (const source of found) if (source.status === 'fulfilled') for (const one of source.value) set(one);
  }

  function set({ name, help, labels = {}, value }: Measured[number]): void {
    const known = gauges.get(name) ?? new Gauge({ name, help, labelNames: Object.keys(labels), registers });
    gauges.set(name, known);
    known.set(labels, value);
  }

  return {
    contentType: registry.contentType,

    observeRequest({ method, route, status, seconds }: AnsweredRequest): void {
      requests.inc({ method, route, status });
      if (seconds !== undefined) requestSeconds.observe({ method, route }, seconds);
    },

    observeAttempt({ job_type, waitedMs, runtimeMs }: EndedAttempt): void {
      jobLatency.observe({ job_type }, waitedMs / 1000);
      jobDuration.observe({ job_type }, runtimeMs / 1000);
    },

    /** Asked when somebody looks, and at most once in a few seconds however many do. */
    measure(source: () => Promise<Measured> | Measured): void {
      sources.push(source);
    },

    async write(): Promise<string> {
      const now = performance.now();
      if (!measuring || now - measuring.at > MEASURED_FOR_MS) measuring = { at: now, done: measure() };
      await measuring.done;
      return registry.metrics();
    },

    close: () => lag.disable(),
  };
}
