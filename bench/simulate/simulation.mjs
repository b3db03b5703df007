// A discrete-event simulation of the job queue: pages are saved, workers claim and run their jobs, failed ones come back.
import { seeded } from '../random.mjs';
import { createClock, createHeap } from './clock.mjs';
import { createProcessor } from './processor.mjs';
import { createWorker } from './worker.mjs';

/** Settings without any cost of claims and without claiming ahead: then it is a queue of the textbook. */
export const TEXTBOOK = {
  processes: Number.POSITIVE_INFINITY,
  machines: { workersEach: Number.POSITIVE_INFINITY, cores: Number.POSITIVE_INFINITY },
  claim: { fixedMs: 0, perJobMs: 0, roundTripMs: 0 },
  notifyMs: () => 0,
  gatherMs: -1,
  pollMs: Number.POSITIVE_INFINITY,
  aheadMs: 0,
};

/**
 * Simulates the arrival of these pages, each `{ at, … }` in the order of time, until all their jobs are over or until `untilMs`.
 *
 * - `kinds`: for each kind of job `sample(page, attempt, random)`, which returns the milliseconds that an attempt waits for
 *   others (`waitMs`), computes in the worker (`workerMs`) and in the database (`databaseMs`), and causes beside it
 *   (`besideMs`); `retryMs` if it fails and is due again after so long. `next` are the kinds that follow it, `priority` goes
 *   before the time at which it was due, and `usesProcess` says that it computes in a child process.
 * - `workers`, `concurrency`, and `processes`: how many jobs of a worker compute in child processes at a time.
 * - `machines`: how many workers share one, its `cores`, and how many of them `others` use. `databaseCores` are a machine of
 *   their own; without it, the database runs on the first machine.
 * - `notifyMs(random)`: how long a notification takes; notifications of one process within `gatherMs` are combined.
 *
 * Returns the times of every attempt, and how much was used.
 */
export function simulate(options) {
  const { pages, kinds, first, workers: workerCount, concurrency, processes, machines, claim } = options;
  const { databaseCores, notifyMs, gatherMs, pollMs, aheadMs, seed, untilMs } = options;
  const random = seeded(seed);
  const clock = createClock();
  const hosts = Array.from({ length: Math.ceil(workerCount / machines.workersEach) || 1 }, () =>
    createProcessor(clock, machines),
  );
  const database = databaseCores ? createProcessor(clock, { cores: databaseCores }) : hosts[0];
  const due = createHeap((a, b) => b.priority - a.priority || a.due - b.due || a.order - b.order);
  const attempts = [];
  const counts = { claims: 0, emptyClaims: 0 };
  let order = 0;
  let unfinished = 0;

  const sentAt = new Map();
  const gathering = new Set();
  const wakeAll = () => {
    for (const worker of workers) worker.wake();
  };
  /** Tells all workers of new jobs, those of the same process at once. */
  function notify(sender) {
    workers[sender]?.wake();
    const send = () => {
      sentAt.set(sender, clock.now());
      clock.at(clock.now() + notifyMs(random), wakeAll);
    };
    if (clock.now() - (sentAt.get(sender) ?? Number.NEGATIVE_INFINITY) > gatherMs) send();
    else if (!gathering.has(sender)) {
      gathering.add(sender);
      clock.at(clock.now() + gatherMs, () => {
        gathering.delete(sender);
        send();
      });
    }
  }

  function enqueue(kind, page, sender) {
    unfinished += 1;
    const { priority = 5 } = kinds[kind];
    due.push({ kind, page, priority, attempt: 1, due: clock.now(), order: order++ });
    notify(sender);
  }

  function retry(job, delayMs) {
    const next = { ...job, attempt: job.attempt + 1, due: clock.now() + delayMs, order: order++ };
    clock.at(next.due, () => {
      due.push(next);
      wakeAll();
    });
  }

  function claimJobs(want, done) {
    const jobs = [];
    while (jobs.length < want && due.size() > 0) jobs.push(due.pop());
    for (const job of jobs) job.claimed = clock.now();
    counts.claims += 1;
    if (jobs.length === 0) counts.emptyClaims += 1;
    const answer = () =>
      claim.roundTripMs === 0 ? done(jobs) : clock.at(clock.now() + claim.roundTripMs, () => done(jobs));
    database.add(claim.fixedMs + claim.perJobMs * jobs.length, answer);
  }

  /** Runs at most `processes` tasks of a worker at a time. */
  function createChildProcesses() {
    const waiting = [];
    let free = processes;
    const startNext = () => {
      if (free === 0 || waiting.length === 0) return;
      free -= 1;
      waiting.shift()(() => {
        free += 1;
        startNext();
      });
    };
    return (task) => {
      waiting.push(task);
      startNext();
    };
  }

  function runOn(number) {
    const host = hosts[Math.floor(number / machines.workersEach)] ?? hosts[0];
    const inChildProcess = createChildProcesses();
    return (job, done) => {
      const began = clock.now();
      const kind = kinds[job.kind];
      const {
        waitMs,
        workerMs = 0,
        databaseMs = 0,
        besideMs = 0,
        retryMs,
      } = kind.sample(job.page, job.attempt, random);
      const end = () => {
        attempts.push({ kind: job.kind, due: job.due, claimed: job.claimed, began, ended: clock.now() });
        if (retryMs !== undefined) retry(job, retryMs);
        else {
          unfinished -= 1;
          for (const next of kind.next ?? []) enqueue(next, job.page, number);
        }
        done();
      };
      const compute = (release) =>
        host.add(workerMs, () => {
          release();
          database.add(databaseMs, end);
        });
      host.add(besideMs);
      clock.at(began + waitMs, () => (kind.usesProcess ? inChildProcess(compute) : compute(() => undefined)));
    };
  }

  const workers = Array.from({ length: workerCount }, (_, number) =>
    createWorker({
      clock,
      slots: concurrency,
      aheadMs,
      claim: claimJobs,
      run: runOn(number),
      release(jobs) {
        for (const job of jobs) due.push(job);
        wakeAll();
      },
    }),
  );
  for (const page of pages) clock.at(page.at, () => enqueue(first, page, 'server'));
  const last = pages.at(-1)?.at ?? 0;
  const used = () => ({
    ...counts,
    workerCpuMs: hosts.reduce((sum, host) => sum + host.used(), 0),
    databaseCpuMs: database.used(),
    durationMs: clock.now(),
  });
  /** The cores in use while pages arrived, without the end in which only retries and slow sites are left. */
  let whileArriving = used();
  clock.at(last, () => {
    whileArriving = used();
  });
  /** Workers poll at their own times. */
  const poll = (worker) => {
    worker.wake();
    if (unfinished > 0 || clock.now() < last) clock.at(clock.now() + pollMs, () => poll(worker));
  };
  if (Number.isFinite(pollMs)) for (const worker of workers) clock.at(random() * pollMs, () => poll(worker));
  clock.run(untilMs);
  return { attempts, unfinished, whileArriving, ...used() };
}
