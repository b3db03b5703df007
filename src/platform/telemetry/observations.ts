import { Counter, Histogram, type Registry } from 'prom-client';

/** From a millisecond to ten seconds. */
const STATEMENT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From an idle worker's milliseconds to a backlog of an hour. */
const JOB_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
/** From a request in the local network to the longest timeout of a task. */
const TASK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 600];

interface EndedAttempt {
  job_type: string;
  outcome: string;
  /** From when it was due until it began. */
  waitedMs: number;
  runtimeMs: number;
}

interface ObservedClaim {
  work: 'jobs' | 'events' | 'deliveries';
  count: number;
  seconds: number;
}

/** An attempt at an event or a delivery. */
interface EndedDelivery {
  outcome: 'delivered' | 'retry' | 'failed';
  seconds: number;
}

interface EndedRequest {
  /** The class of the status, such as `2xx`, or the code of the error. */
  outcome: string;
  seconds: number;
}

/** A task of a pool of processes. */
export interface EndedTask {
  pool: string;
  outcome: 'succeeded' | 'failed' | 'stopped';
  waitedSeconds: number;
  seconds: number;
}

/** Observes what this process does in the background: histograms and counters, whose labels take few values. */
export function createObservations(registers: Registry[]) {
  const histogram = <Label extends string>(
    name: string,
    { help, labels, buckets }: { help: string; labels: Label[]; buckets: number[] },
  ) => new Histogram<Label>({ name, help, labelNames: labels, buckets, registers });
  const counter = <Label extends string>(name: string, help: string, labels: Label[] = []) =>
    new Counter<Label>({ name, help, labelNames: labels, registers });

  const jobLatency = histogram('nexus_job_latency_seconds', {
    help: 'How long attempts that this process ran had been due before they began.',
    labels: ['job_type'],
    buckets: JOB_SECONDS,
  });
  const jobDuration = histogram('nexus_job_duration_seconds', {
    help: 'How long attempts that this process ran took.',
    labels: ['job_type'],
    buckets: JOB_SECONDS,
  });
  const jobAttempts = counter(
    'nexus_job_attempts_total',
    'Attempts that this process ran, by how they ended.',
    ['job_type', 'outcome'],
  );
  const claims = histogram('nexus_claim_duration_seconds', {
    help: 'How long claims of jobs, events and deliveries took.',
    labels: ['work'],
    buckets: STATEMENT_SECONDS,
  });
  const claimed = counter('nexus_claimed_total', 'Jobs, events and deliveries that this process claimed.', [
    'work',
  ]);
  const recovered = counter(
    'nexus_recovered_total',
    'Jobs, events and deliveries that this process took back from dead workers.',
  );
  const events = histogram('nexus_event_dispatch_duration_seconds', {
    help: 'How long the subscribers of an event took.',
    labels: ['outcome'],
    buckets: TASK_SECONDS,
  });
  const deliveries = histogram('nexus_webhook_delivery_duration_seconds', {
    help: 'How long attempts at deliveries to webhooks took.',
    labels: ['outcome'],
    buckets: TASK_SECONDS,
  });
  const requests = histogram('nexus_egress_request_duration_seconds', {
    help: 'How long outgoing requests took, redirects and bodies included.',
    labels: ['outcome'],
    buckets: TASK_SECONDS,
  });
  const taskWaits = histogram('nexus_process_task_wait_seconds', {
    help: 'How long tasks waited for a child process.',
    labels: ['pool'],
    buckets: TASK_SECONDS,
  });
  const tasks = histogram('nexus_process_task_duration_seconds', {
    help: 'How long tasks ran in a child process.',
    labels: ['pool', 'outcome'],
    buckets: TASK_SECONDS,
  });

  return {
    observeAttempt({ job_type, outcome, waitedMs, runtimeMs }: EndedAttempt): void {
      jobLatency.observe({ job_type }, waitedMs / 1000);
      jobDuration.observe({ job_type }, runtimeMs / 1000);
      jobAttempts.inc({ job_type, outcome });
    },
    observeClaim({ work, count, seconds }: ObservedClaim): void {
      claims.observe({ work }, seconds);
      claimed.inc({ work }, count);
    },
    countRecovered(count: number): void {
      recovered.inc(count);
    },
    observeEvent({ outcome, seconds }: EndedDelivery): void {
      events.observe({ outcome }, seconds);
    },
    observeDelivery({ outcome, seconds }: EndedDelivery): void {
      deliveries.observe({ outcome }, seconds);
    },
    observeEgress({ outcome, seconds }: EndedRequest): void {
      requests.observe({ outcome }, seconds);
    },
    observeTask({ pool, outcome, waitedSeconds, seconds }: EndedTask): void {
      taskWaits.observe({ pool }, waitedSeconds);
      tasks.observe({ pool, outcome }, seconds);
    },
  };
}
