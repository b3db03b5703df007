import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { NEXUS_VERSION } from '../version.ts';

const DELAY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SAMPLE_MS = 1000;
const NANOSECONDS = 1e9;

/** Measures the process itself: memory, garbage collection and the event loop. Returns a function that stops it. */
export function observeProcess(registry: Registry): () => void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'nexus_build_info',
    help: 'The version of Nexus, as a label; the value is 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: NEXUS_VERSION }, 1);
  return observeEventLoop(registry);
}

/** Counts the longest delay of each second, so that the result depends neither on who reads it nor on how often. */
function observeEventLoop(registry: Registry): () => void {
  const delays = new Histogram({
    name: 'nexus_event_loop_delay_seconds',
    help: 'The longest delay of the event loop in each second.',
    buckets: DELAY_SECONDS,
    registers: [registry],
  });
  const resolution = 10;
  const monitor = monitorEventLoopDelay({ resolution });
  monitor.enable();
  const timer = setInterval(() => {
    // The monitor measures the time between two ticks of its own timer, which is part of what it reports.
    if (monitor.count > 0) delays.observe(Math.max(0, monitor.max / NANOSECONDS - resolution / 1000));
    monitor.reset();
  }, SAMPLE_MS).unref();
  return () => {
    clearInterval(timer);
    monitor.disable();
  };
}
