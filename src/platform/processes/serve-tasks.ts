import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { createFrameReader, frameSize, writeFrame } from './frames.ts';
import type { ThrownError } from './stopped.ts';

/** The tasks of a process by name: functions that take and return plain data and byte arrays. */
export type Work = Record<string, (input: never) => unknown>;

/** The file descriptor of the socket between a process and its pool. */
export const CHANNEL = 3;

/** The limits of a process, passed as its only argument. */
export interface ChildLimits {
  /** The process that started this one. */
  parent: number;
  timeoutMs: number;
  /** The resident memory that this process may use, buffers included. */
  memoryBytes: number;
  resultBytes: number;
}

interface Request {
  name: string;
  input: unknown;
}

/** When a task ran, by the clock of the machine. */
export interface Timing {
  pid: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  ms: number;
}

/** `rss` is the resident memory after the task. */
export type Reply =
  | { ready: true }
  | { tooLarge: true }
  | { result: unknown; rss: number; timing: Timing }
  | { error: ThrownError; rss: number; timing?: Timing };

/** The parent kills a process after its timeout. If it cannot, the watchdog does so after this additional time. */
const WATCHDOG_DELAY_MS = 5000;
const MAX_MESSAGE_LENGTH = 10_000;

/** The main loop of a process of a pool: runs one task after the other and sends a reply to each. */
export function serveTasks(work: Work): void {
  const limits: ChildLimits = JSON.parse(process.argv[2] ?? '{}');
  if (limits.parent === undefined) throw new Error('This module must run in a process of a pool.');
  const watchdog = startWatchdog(limits);
  // Ignores signals to the process group, for example from a terminal: the parent decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

  const channel = new Socket({ fd: CHANNEL, readable: true, writable: true });
  const send = (reply: Reply) => {
    for (const part of encode(reply, limits.resultBytes)) channel.write(part);
  };
  const handle = async ({ name, input }: Request): Promise<Reply> => {
    watchdog.begin(limits.timeoutMs + WATCHDOG_DELAY_MS);
    const begun = performance.now();
    const timing = (): Timing => ({
      pid: process.pid,
      startedAt: performance.timeOrigin + begun,
      ms: performance.now() - begun,
    });
    try {
      const task = work[name];
      if (!task) throw new Error(`The task ${name} does not exist.`);
      const result = await task(input as never);
      return { result, rss: process.memoryUsage.rss(), timing: timing() };
    } catch (error) {
      return { error: describe(error), rss: process.memoryUsage.rss(), timing: timing() };
    } finally {
      watchdog.end();
    }
  };
  channel.on(
    'data',
    createFrameReader(Number.POSITIVE_INFINITY, (request) => void handle(request as Request).then(send)),
  );
  // The parent has ended, or has closed the pool.
  channel.on('close', () => process.exit());
  channel.on('error', () => process.exit());
  send({ ready: true });
}

/** Encodes a reply. A result that cannot be serialised becomes an error of the task. */
function encode(reply: Reply, maxBytes: number): Buffer[] {
  try {
    const frame = writeFrame(reply);
    return frameSize(frame) > maxBytes ? writeFrame({ tooLarge: true }) : frame;
  } catch (error) {
    return writeFrame({ error: describe(error), rss: process.memoryUsage.rss() });
  }
}

function describe(error: unknown): ThrownError {
  const { name, message, stack, code } = error as Error & { code?: unknown };
  return {
    name: String(name),
    message: String(message).slice(0, MAX_MESSAGE_LENGTH),
    stack: stack?.slice(0, MAX_MESSAGE_LENGTH),
    code: typeof code === 'string' ? code : undefined,
  };
}

/**
 * Starts a thread that kills this process when its parent has ended, when it uses too much memory, or when a task exceeds
 * its time. The main thread may be inside native code (`normalize`, a regular expression, zlib) that JavaScript cannot
 * interrupt, so the thread sends SIGKILL to its own process.
 */
function startWatchdog({ parent, memoryBytes }: ChildLimits) {
  // Shared by both threads: the deadline of the task on the monotonic clock; 0 between tasks.
  const deadline = new BigInt64Array(new SharedArrayBuffer(8));
  const watching = new Worker(`(${watch})(require('node:worker_threads').workerData)`, {
    eval: true,
    execArgv: [],
    workerData: { parent, memoryBytes, deadline },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  });
  watching.unref();
  const set = (time: bigint) => {
    Atomics.store(deadline, 0, time);
    Atomics.notify(deadline, 0);
  };
  return {
    /** Kills the process after this time, unless `end` is called. */
    begin: (milliseconds: number) =>
      set(process.hrtime.bigint() + BigInt(Math.ceil(milliseconds)) * 1_000_000n),
    end: () => set(0n),
  };
}

/** Runs in a separate thread from its source text, so it must not use anything from this module. */
function watch({ parent, memoryBytes, deadline }: ChildLimits & { deadline: BigInt64Array }): void {
  const [whileIdleMs, whileBusyMs] = [1000, 25];
  for (;;) {
    const seen = Atomics.load(deadline, 0);
    Atomics.wait(deadline, 0, seen, seen === 0n ? whileIdleMs : whileBusyMs);
    const now = Atomics.load(deadline, 0);
    const isLate = now !== 0n && process.hrtime.bigint() > now;
    if (isLate || process.ppid !== parent || process.memoryUsage.rss() > memoryBytes) {
      process.kill(process.pid, 'SIGKILL');
    }
  }
}
