import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { inChunks } from '../chunks.ts';
import { createFrameReader, FrameTooLarge } from './frames.ts';
import { CHANNEL, type ChildLimits, type Reply } from './serve-tasks.ts';
import { ProcessStopped } from './stopped.ts';

export interface ProcessLimits {
  /** The maximum run time of a task. */
  timeoutMs: number;
  /** The maximum resident memory of a process, buffers included. V8's heap may use half of it. */
  memoryMb: number;
  /** The maximum size of a result. */
  resultMb: number;
}

export type TaskProcess = ReturnType<typeof startProcess>;

const START_TIMEOUT_MS = 30_000;
const MB = 1024 * 1024;

/** Starts a process. Throws a `ProcessStopped` if the system refuses at once, for lack of memory or file descriptors. */
export function startProcess(entry: URL, limits: ProcessLimits) {
  const { child, channel } = spawnChild(entry, limits);
  let settle: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;
  let stopped: ProcessStopped | undefined;
  let isWanted = true;
  let isUsed = false;

  const stop = (error: ProcessStopped) => {
    stopped ??= error;
    settle?.reject(stopped);
    settle = undefined;
  };
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      stop(notStarted(error));
      resolve();
    });
    child.on('close', (code, signal) => {
      // A task is not at fault if the process ended before it got one.
      if (isUsed) stop(whyEnded(code, signal, limits, isWanted));
      else stop(notStarted(new Error(`it ended with ${signal ?? `code ${code}`} before its first task`)));
      resolve();
    });
  });
  const nextReply = () =>
    new Promise<Reply>((resolve, reject) => {
      if (stopped) reject(stopped);
      else settle = { resolve, reject };
    });
  const read = createFrameReader(limits.resultMb * MB, (reply) => {
    const { resolve } = settle ?? {};
    settle = undefined;
    resolve?.(reply as Reply);
  });
  channel.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      const reason = error instanceof FrameTooLarge ? 'output' : 'crash';
      stop(new ProcessStopped(reason, (error as Error).message, { cause: error }));
      kill(child);
    }
  });
  // Happens when a request is written to a process that has just ended. `close` reports the end.
  channel.on('error', () => kill(child));
  const ready = startWithin(nextReply(), child);
  // Prevents an unhandled rejection. A task that waits for `ready` gets the error.
  ready.catch(() => undefined);

  return {
    /** Resolves when the process has loaded its modules. Rejects like `send`. */
    ready,
    /** Sends a request and resolves with the reply. Rejects with a `ProcessStopped` when the process ends first. */
    send(request: Buffer[]): Promise<Reply> {
      isUsed = true;
      const reply = nextReply();
      Readable.from(chunksOf(request), { objectMode: false }).pipe(channel, { end: false });
      return reply;
    },
    /** Sends SIGKILL and resolves when the process has ended. */
    async kill(): Promise<void> {
      isWanted = false;
      kill(child);
      await ended;
    },
    onEnd: (listener: () => void) => void ended.then(listener),
    /** Marks the process as idle. An idle child process does not keep this process alive. */
    setIdle(isIdle: boolean): void {
      for (const handle of [child, channel]) {
        if (isIdle) handle.unref();
        else handle.ref();
      }
    },
  };
}

function spawnChild(entry: URL, limits: ProcessLimits): { child: ChildProcess; channel: Socket } {
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, argumentsOf(entry, limits), {
      // No environment: the process parses untrusted documents and must not see secrets. Only the time zone is passed.
      env: process.env.TZ ? { TZ: process.env.TZ } : {},
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      // A new session, so that Ctrl-C reaches only the server, which lets tasks finish.
      detached: true,
    });
  } catch (error) {
    throw notStarted(error as Error);
  }
  // Without a file descriptor for the channel, Node sets no `stdio`, although its type says so, and emits the error later.
  const channel = (child.stdio as ChildProcess['stdio'] | undefined)?.[CHANNEL];
  if (channel) return { child, channel: channel as Socket };
  // An error without a listener would end this process.
  child.on('error', () => undefined);
  throw notStarted(new Error('no file descriptor is left'));
}

function notStarted(cause: Error): ProcessStopped {
  return new ProcessStopped('start', `The process could not be started: ${cause.message}.`, { cause });
}

function* chunksOf(parts: Buffer[]): Generator<Uint8Array> {
  for (const part of parts) yield* inChunks(part);
}

async function startWithin(ready: Promise<Reply>, child: ChildProcess): Promise<void> {
  const timer = setTimeout(() => kill(child), START_TIMEOUT_MS);
  try {
    await ready;
  } finally {
    clearTimeout(timer);
  }
}

function kill(child: ChildProcess): void {
  // A process that could not be started has a handle with a random id until its error is emitted: `child.kill` would send the
  // signal to another process, or to the group of this one.
  if (child.pid !== undefined) child.kill('SIGKILL');
}

function argumentsOf(entry: URL, { timeoutMs, memoryMb, resultMb }: ProcessLimits): string[] {
  const sizes = { memoryBytes: memoryMb * MB, resultBytes: resultMb * MB };
  const limits: ChildLimits = { parent: process.pid, timeoutMs, ...sizes };
  const heap = `--max-old-space-size=${Math.ceil(memoryMb / 2)}`;
  return [heap, ...loaderFlags(entry), fileURLToPath(entry), JSON.stringify(limits)];
}

/** Returns the flags that load TypeScript in the child as in this process. Built modules need none. */
function loaderFlags(entry: URL): string[] {
  if (!entry.pathname.endsWith('.ts')) return [];
  const at = process.execArgv.indexOf('--import');
  return at < 0 ? [] : process.execArgv.slice(at, at + 2);
}

/** Returns why a process ended. V8 aborts when its heap is full; a SIGKILL that the pool did not send is from the watchdog or the kernel. */
function whyEnded(
  code: number | null,
  signal: NodeJS.Signals | null,
  { memoryMb }: ProcessLimits,
  isWanted: boolean,
): ProcessStopped {
  const isMemory = isWanted && (signal === 'SIGKILL' || signal === 'SIGABRT' || code === 134);
  if (isMemory) return new ProcessStopped('memory', `The task used more than ${memoryMb} MB of memory.`);
  return new ProcessStopped('crash', `The process ended with ${signal ?? `code ${code}`}.`);
}
