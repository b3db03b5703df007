import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { inSlices } from '../slices.ts';
import { createFrameReader, FrameTooLarge } from './frames.ts';
import { CHANNEL, type ChildLimits, type Reply } from './protocol.ts';
import { ProcessStopped } from './stopped.ts';

export interface ProcessLimits {
  /** A task that takes longer is killed with its process. */
  timeoutMs: number;
  /** A process whose resident memory, buffers included, grows beyond this is killed. V8's heap may take half of it. */
  memoryMb: number;
  /** A task that answers with more fails. */
  resultMb: number;
}

export interface TaskProcess {
  readonly pid: number | undefined;
  /** Resolves when the process has loaded its modules. Rejects like `ask`. */
  readonly ready: Promise<unknown>;
  /** Sends a request and resolves with the reply. Rejects with a `ProcessStopped` when the process ends first. */
  ask(request: Buffer[]): Promise<Reply>;
  /** SIGKILL: it ends whatever it is doing. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Calls back when the process ends by itself. */
  onEnd(listener: () => void): void;
  /** An idle process does not keep this one alive. */
  setIdle(isIdle: boolean): void;
}

const START_MS = 30_000;
const MB = 1024 * 1024;

export function startProcess(entry: URL, limits: ProcessLimits): TaskProcess {
  const child = spawn(process.execPath, argumentsOf(entry, limits), {
    // No secrets for what reads documents of strangers. Dates without a zone are read in the zone of the server.
    env: process.env.TZ ? { TZ: process.env.TZ } : {},
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    // A session of its own: Ctrl-C reaches the server only, which lets tasks finish.
    detached: true,
  });
  const channel = child.stdio[CHANNEL] as Socket;
  let settle: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;
  let stopped: ProcessStopped | undefined;
  let isWanted = true;

  const stop = (error: ProcessStopped) => {
    stopped ??= error;
    settle?.reject(stopped);
    settle = undefined;
  };
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      stop(new ProcessStopped('crash', `The process could not be started: ${error.message}`));
      resolve();
    });
    child.on('close', (code, signal) => {
      stop(whyEnded(code, signal, limits, isWanted));
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
  // A write to a process that has just ended; its end is reported by `close`.
  channel.on('error', () => kill(child));
  const ready = startWithin(nextReply(), child);
  // A task that waits for it gets the error; a closed pool does not need it.
  ready.catch(() => undefined);

  return {
    pid: child.pid,
    ready,
    ask(request) {
      const reply = nextReply();
      Readable.from(slicesOf(request), { objectMode: false }).pipe(channel, { end: false });
      return reply;
    },
    async kill() {
      isWanted = false;
      kill(child);
      await ended;
    },
    onEnd: (listener) => void ended.then(listener),
    setIdle(isIdle) {
      for (const handle of [child, channel]) {
        if (isIdle) handle.unref();
        else handle.ref();
      }
    },
  };
}

function* slicesOf(parts: Buffer[]): Generator<Uint8Array> {
  for (const part of parts) yield* inSlices(part);
}

async function startWithin(ready: Promise<Reply>, child: ChildProcess): Promise<void> {
  const timer = setTimeout(() => kill(child), START_MS);
  try {
    await ready;
  } finally {
    clearTimeout(timer);
  }
}

function kill(child: ChildProcess): void {
  child.kill('SIGKILL');
}

function argumentsOf(entry: URL, { timeoutMs, memoryMb, resultMb }: ProcessLimits): string[] {
  const limits: ChildLimits = {
    parent: process.pid,
    timeoutMs,
    memoryBytes: memoryMb * MB,
    resultBytes: resultMb * MB,
  };
  return [
    `--max-old-space-size=${Math.ceil(memoryMb / 2)}`,
    ...loaderFlags(entry),
    fileURLToPath(entry),
    JSON.stringify(limits),
  ];
}

/** TypeScript is loaded as this process loads it. Built modules need no flag, and inherit none. */
function loaderFlags(entry: URL): string[] {
  if (!entry.pathname.endsWith('.ts')) return [];
  const at = process.execArgv.indexOf('--import');
  return at < 0 ? [] : process.execArgv.slice(at, at + 2);
}

/** V8 aborts when its heap is full. SIGKILL that the pool did not send comes from the watchdog, or from the kernel. */
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
