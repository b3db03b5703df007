import { type Command, InvalidArgumentError } from 'commander';
import { type Config, parseConfig, readEnvironment } from '../app/config.ts';
import { type OpenDatabase, openCurrentDatabase } from '../app/database.ts';
import { listen } from '../app/listen.ts';
import { createNexus, type Nexus } from '../app/nexus.ts';
import { createResources } from '../app/resources.ts';
import { openUnlessStopped, untilStopped } from '../app/shutdown.ts';
import { createHealthServer } from '../http/health-routes.ts';
import type { HttpServer } from '../http/http-server.ts';
import { createLogger, type Logger } from '../platform/telemetry/logger.ts';
import { createMetrics } from '../platform/telemetry/metrics.ts';
import { startTracing } from '../platform/telemetry/otlp.ts';

interface WorkerFlags {
  once?: true;
  maxJobs?: number;
  queues?: string[];
  concurrency?: number;
}

export function define(command: Command): void {
  command
    .option('--once', 'run at most one job, and exit')
    .option('--max-jobs <n>', 'exit after this many jobs', positive)
    .option('--queues <names>', 'only these queues, separated by commas', names)
    .option('--concurrency <n>', 'how many jobs at once; NEXUS_WORKER_CONCURRENCY by default', positive)
    .action(work);
}

async function work(flags: WorkerFlags): Promise<void> {
  const config = parseConfig(readEnvironment());
  const log = createLogger(config.log);
  const stopped = untilStopped(() => process.exit(1));
  const tracing = await startTracing({ log, variables: config.openTelemetry, purpose: 'worker' });
  try {
    await workUntil(stopped, { config, log, flags });
  } finally {
    await tracing.stop();
  }
}

async function workUntil(
  stopped: Promise<NodeJS.Signals>,
  { config, log, flags }: { config: Config; log: Logger; flags: WorkerFlags },
): Promise<void> {
  const opening = openCurrentDatabase(config, { log, purpose: 'worker', whenOwned: 'share' });
  const database = await openUnlessStopped(opening, { stopped, config, log });
  const metrics = createMetrics();
  const resources = createResources({ config, log, metrics });
  const nexus = createNexus({ ...database, log, config, metrics, resources });
  let health: HttpServer | undefined;
  try {
    await resources.open();
    health = await exportMetrics(config, { database, log, nexus });
    const worker = await nexus.engine.work({
      ...config.worker,
      ...(flags.concurrency && { concurrency: flags.concurrency }),
      queues: flags.queues,
      maxJobs: flags.once ? 1 : flags.maxJobs,
      untilEmpty: flags.once,
    });
    log.info(`worker ${worker.name} is ready`);
    await Promise.race([stopped, worker.stopped]);
    await worker.stop();
    log.info(`worker ${worker.name} stopped after ${worker.begun()} jobs`);
  } finally {
    await health?.close();
    await nexus.close();
    await resources.close();
    await database.close();
  }
}

/** Serves health and metrics of this worker, if a port is configured for that. */
async function exportMetrics(
  { host, isLocal, metricsPort: port }: Config,
  { database, log, nexus: { metrics } }: { database: OpenDatabase; log: Logger; nexus: Nexus },
): Promise<HttpServer | undefined> {
  if (port === undefined) return undefined;
  metrics.observeProcess();
  const server = createHealthServer(log, { ...database, metrics, isLocal });
  const address = await listen(server, { host, port, variable: 'NEXUS_METRICS_PORT' });
  log.info(`metrics are at ${address}/metrics/prometheus`);
  return server;
}

function positive(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It takes a whole number from 1 on.');
}

function names(text: string): string[] {
  const list = text.split(',').map((name) => name.trim());
  if (list.every((name) => /^[\w.-]+$/.test(name))) return list;
  throw new InvalidArgumentError('It takes names of letters, digits and . _ -, separated by commas.');
}
