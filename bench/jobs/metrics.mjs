/** Every figure of a contender: how it is called, and how it is written. */
export const METRICS = [
  { id: 'enqueuePerSecond', title: 'bulk enqueue, jobs/s', digits: 0 },
  { id: 'enqueueP50Ms', title: 'single enqueue p50, ms', digits: 2 },
  { id: 'enqueueP99Ms', title: 'single enqueue p99, ms', digits: 2 },
  { id: 'drainPerSecond', title: 'drain, jobs/s', digits: 0 },
  { id: 'pickUpP50Ms', title: 'idle pick-up p50, ms', digits: 2 },
  { id: 'pickUpP99Ms', title: 'idle pick-up p99, ms', digits: 2 },
  { id: 'walBytesPerJob', title: 'WAL per job, bytes', digits: 0 },
  { id: 'walBytesPerJobEnqueued', title: '  of which to enqueue', digits: 0 },
];

/** The drains of Nexus under other circumstances. */
export const VARIANTS = [
  { id: 'twoWorkers', title: 'two worker processes' },
  { id: 'finished', title: 'finished jobs in the tables' },
  { id: 'delayed', title: 'delayed jobs in the queue' },
  { id: 'burst', title: 'all at once behind an idle worker; enqueueing is part of it' },
];
