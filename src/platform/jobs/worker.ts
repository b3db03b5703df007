import { type KeptRecovery, keepRecovering } from '../work/recovery.ts';
import { register } from '../work/registration.ts';
import type { RunningSource, WorkSource } from '../work/source.ts';
import type { Schedule } from './periodic/periodic.ts';
import { takeBackJobs } from './recover/take-back.ts';
import { type JobLoopOptions, startJobLoop } from './run/job-loop.ts';
import { JOBS_QUEUED } from './submit/enqueue.ts';

export interface WorkerOptions extends Omit<JobLoopOptions, 'registration' | 'onAdvance'> {
  graceSeconds: number;
  /** Stop when nothing is due. */
  untilEmpty?: boolean | undefined;
  /** Periodic work to queue when its time comes; a worker that stops by itself leaves that to others. */
  schedule?: Schedule | undefined;
  /** The work that is done beside jobs; a worker that stops by itself only takes it back from dead workers. */
  sources?: WorkSource[] | undefined;
}

export interface Worker {
  name: string;
  /** Resolves when the worker has stopped, by itself or by `stop`. */
  stopped: Promise<void>;
  /** Claims no more, lets running work finish for the grace period, then hands it back. */
  stop(): Promise<void>;
  /** How many jobs it has begun. */
  begun(): number;
}

/** Starts a worker: one registration, under which jobs and the work of all sources are claimed. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { listener, queues, endings, sources = [], maxJobs = Number.POSITIVE_INFINITY } = options;
  const stopsByItself = options.untilEmpty || options.maxJobs !== undefined;
  const registration = await register({ ...options, runningCount: () => loop.running() });
  let recovery: KeptRecovery | undefined;
  let running: RunningSource[] = [];

  const loop = startJobLoop({ ...options, registration, onAdvance: stopIfDone });

  function stopIfDone(): void {
    // It may end before it would look for dead workers a second time, so the first look comes first.
    if (stopping || !recovery || loop.running() > 0) return;
    if ((loop.begun() >= maxJobs && !loop.isHolding()) || (options.untilEmpty && loop.isEmpty())) void stop();
  }

  const unsubscribe = listener.on(JOBS_QUEUED, (subjects) => {
    if (subjects === 'any' || queues.some((queue) => subjects.has(queue))) loop.wake(subjects);
  });

  let resolveStopped: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve;
  });
  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    stopping ??= windDown().then(resolveStopped);
    return stopping;
  }

  async function windDown(): Promise<void> {
    unsubscribe();
    await Promise.all([schedule?.stop(), recovery?.stop()]);
    const held = await Promise.all(
      [loop, ...running].map(({ stop: stopWork }) => stopWork(options.graceSeconds)),
    );
    await registration.close(held.some(Boolean));
  }

  recovery = await keepRecovering({
    ...options,
    takeBacks: [(tx, dead) => takeBackJobs(tx, dead, endings), ...sources.map(({ takeBack }) => takeBack)],
    onRecovered() {
      loop.wake();
      for (const source of running) source.wake();
    },
  });
  const schedule = stopsByItself ? undefined : options.schedule?.keep();
  if (!stopsByItself) running = sources.map((source) => source.start({ ...options, registration }));
  stopIfDone();
  return { name: registration.current().name, stopped, stop, begun: loop.begun };
}
