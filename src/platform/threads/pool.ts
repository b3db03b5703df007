import { type Transferable, Worker } from 'node:worker_threads';

export interface PoolOptions {
  /** The module that a thread runs. It calls `serveTasks`. */
  entry: URL;
  /** Threads at most; they start when there is work for them. */
  size: number;
  /** A task that takes longer ends with its thread. */
  timeoutMs: number;
  /** A thread whose heap grows beyond this ends. */
  memoryMb: number;
  /** After so many tasks a thread is replaced, and with it whatever they left in it. */
  tasksPerThread?: number;
}

export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Moved to the thread, not copied. */
  transfer?: Transferable[];
}

export interface ThreadPool<Task, Result> {
  /** Rejects with what the task threw, or with a `ThreadStopped`. */
  run(task: Task, options?: RunOptions): Promise<Result>;
  /** Ends every thread. What runs or waits is rejected. */
  close(): Promise<void>;
}

/** What a task became of. */
export type Outcome<Result> =
  | { result: Result }
  | { error: { name: string; message: string; stack?: string; code?: string } };

/** The thread had to be ended, and the task with it. */
export class ThreadStopped extends Error {
  readonly reason: 'timeout' | 'memory' | 'crash' | 'closed';

  constructor(reason: ThreadStopped['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ThreadStopped';
    this.reason = reason;
  }
}

/** An error that a task threw in its thread: its code, where it has one, its sentence and its stack. */
export class TaskFailed extends Error {
  readonly code: string | undefined;

  constructor({
    name,
    message,
    stack,
    code,
  }: { name: string; message: string; stack?: string; code?: string }) {
    super(message);
    this.name = name;
    if (stack) this.stack = stack;
    this.code = code;
  }
}

interface Waiting<Task, Result> {
  task: Task;
  transfer: Transferable[];
  signal: AbortSignal | undefined;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** What cancelling means while it waits. */
  withdraw(): void;
}

interface Thread {
  worker: Worker;
  tasks: number;
}

/** Runs tasks in threads, one at a time in each, and ends those that do not come back. */
export function createThreadPool<Task, Result>(options: PoolOptions): ThreadPool<Task, Result> {
  const { size, timeoutMs, tasksPerThread = 200 } = options;
  const waiting: Waiting<Task, Result>[] = [];
  const idle: Thread[] = [];
  const threads = new Set<Thread>();
  const stopRunning = new Set<(error: unknown) => void>();
  let isClosed = false;

  function start(): Thread {
    const worker = new Worker(options.entry, {
      // Nothing that is read in a thread has any business with the secrets of the process.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: 32 },
    });
    const thread = { worker, tasks: 0 };
    threads.add(thread);
    return thread;
  }

  function discard(thread: Thread): void {
    threads.delete(thread);
    void thread.worker.terminate();
  }

  function next(): void {
    while (waiting.length > 0 && (idle.length > 0 || threads.size < size)) {
      const item = waiting.shift();
      item?.signal?.removeEventListener('abort', item.withdraw);
      if (item) execute(idle.pop() ?? start(), item);
    }
  }

  function execute(thread: Thread, { task, transfer, signal, resolve, reject }: Waiting<Task, Result>): void {
    const { worker } = thread;
    /** Whichever comes first: an outcome, an error, time, or somebody who no longer wants it. */
    const settle = (settled: () => void, isUsable: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      worker.removeAllListeners();
      // It can still fail, while it is being ended or of what the last task left running; unheard, that ends the process.
      worker.on('error', () => {});
      stopRunning.delete(stop);
      thread.tasks += 1;
      if (isUsable && thread.tasks < tasksPerThread && !isClosed) {
        worker.unref();
        worker.on('exit', () => forget(thread));
        idle.push(thread);
      } else {
        discard(thread);
      }
      settled();
      next();
    };
    const stop = (error: unknown) => settle(() => reject(error), false);
    const abort = () => stop(signal?.reason);
    const timer = setTimeout(
      () => stop(new ThreadStopped('timeout', `The task took longer than ${timeoutMs} ms.`)),
      timeoutMs,
    );

    worker.ref();
    worker.removeAllListeners();
    worker.on('message', (outcome: Outcome<Result>) =>
      settle(
        () => ('result' in outcome ? resolve(outcome.result) : reject(new TaskFailed(outcome.error))),
        true,
      ),
    );
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash';
      stop(new ThreadStopped(reason, error.message, { cause: error }));
    });
    worker.on('messageerror', (error) => stop(new ThreadStopped('crash', error.message, { cause: error })));
    worker.on('exit', (code) => stop(new ThreadStopped('crash', `The thread ended with code ${code}.`)));
    signal?.addEventListener('abort', abort, { once: true });
    stopRunning.add(stop);
    try {
      worker.postMessage(task, transfer);
    } catch (error) {
      // It cannot be sent, which is no fault of the thread.
      settle(() => reject(error), true);
    }
  }

  function forget(thread: Thread): void {
    threads.delete(thread);
    const index = idle.indexOf(thread);
    if (index >= 0) idle.splice(index, 1);
  }

  return {
    run(task, { signal, transfer = [] } = {}) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new ThreadStopped('closed', 'The pool is closed.'));
        if (signal?.aborted) return reject(signal.reason);
        const withdraw = () => {
          waiting.splice(waiting.indexOf(item), 1);
          reject(signal?.reason);
        };
        const item: Waiting<Task, Result> = { task, transfer, signal, resolve, reject, withdraw };
        waiting.push(item);
        signal?.addEventListener('abort', withdraw, { once: true });
        next();
      });
    },
    async close() {
      isClosed = true;
      const error = new ThreadStopped('closed', 'The pool was closed.');
      for (const { reject } of waiting.splice(0)) reject(error);
      const workers = [...threads].map(({ worker }) => worker);
      for (const stop of [...stopRunning]) stop(error);
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
