import { type Command, InvalidArgumentError } from 'commander';
import { parseConfig, readEnvironment } from '../app/config.ts';
import { openCurrentDatabase } from '../app/database.ts';
import { createNexus } from '../app/nexus.ts';
import { createResources } from '../app/resources.ts';
import { untilStopped } from '../app/shutdown.ts';
import { createLogger } from '../platform/telemetry/logger.ts';

interface WorkerFlags {
  once?: true;
  maxJobs?: number;
  queues?: string[];
  concurrency?: number;
}

export function addWorkerCommand(program: Command): void {
  program
    .command('worker')
    .description('run jobs until told to stop')
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
  const database = await openCurrentDatabase(config, { log, purpose: 'worker', whenOwned: 'share' });
  const resources = createResources({ config, log });
  const nexus = createNexus({ ...database, log, config, resources });
  try {
    await resources.open();
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
    await nexus.close();
    await resources.close();
    await database.close();
  }
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
