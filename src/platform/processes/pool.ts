import { writeFrame } from './frames.ts';
import type { Reply } from './protocol.ts';
import { ProcessStopped, TaskFailed, type TaskTrouble, taskTrouble } from './stopped.ts';
import { type ProcessLimits, startProcess, type TaskProcess } from './task-process.ts';
import type { Run, RunOptions, Work } from './work.ts';

export interface PoolOptions extends ProcessLimits {
  /** The module that a process runs. It calls `serveTasks`. */
  entry: URL;
  /** The most processes. They start when there is work for them. */
  size: number;
  /** A task that finds so many waiting is refused with the reason `busy`. */
  mostWaiting?: number;
  /** After so many tasks a process is replaced, and with it whatever they left in it. */
  tasksPerProcess?: number;
  /** A process without work ends after this time. */
  idleMs?: number;
  /** The error for the caller of a task that failed, as a sentence that a person can act on. */
  explain?(trouble: TaskTrouble, error: Error): Error;
}

export interface ProcessPool<Tasks extends Work> {
  /** Rejects with what `explain` makes of a failure, a `ProcessStopped`, or the reason of an abort. */
  run: Run<Tasks>;
  /** Kills every process and resolves when all have ended. Tasks that run or wait are rejected. */
  close(): Promise<void>;
}

interface Waiting {
  name: string;
  input: unknown;
  signal: AbortSignal | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** Withdraws the task when it is aborted while it waits. */
  withdraw(): void;
}

interface Member {
  process: TaskProcess;
  tasks: number;
  idleTimer?: NodeJS.Timeout;
}

/** Runs tasks in processes, one at a time in each, and kills those that do not come back. */
export function createProcessPool<Tasks extends Work>(options: PoolOptions): ProcessPool<Tasks> {
  const { entry, size, timeoutMs, resultMb } = options;
  const { mostWaiting = 1000, tasksPerProcess = 200, idleMs = 60_000 } = options;
  const waiting: Waiting[] = [];
  const idle: Member[] = [];
  const members = new Set<Member>();
  const ending = new Set<Promise<void>>();
  const stopRunning = new Set<(error: unknown) => void>();
  /** A process that keeps this much is replaced: its next task would be stopped for what the last one left. */
  const heavyBytes = (options.memoryMb * 1024 * 1024) / 2;
  let isClosed = false;

  function start(): Member {
    const member: Member = { process: startProcess(entry, options), tasks: 0 };
    members.add(member);
    member.process.onEnd(() => forget(member));
    return member;
  }

  function discard(member: Member): void {
    forget(member);
    const ended = member.process.kill();
    ending.add(ended);
    void ended.then(() => ending.delete(ended));
  }

  function forget(member: Member): void {
    clearTimeout(member.idleTimer);
    members.delete(member);
    const index = idle.indexOf(member);
    if (index >= 0) idle.splice(index, 1);
  }

  function rest(member: Member): void {
    member.process.setIdle(true);
    member.idleTimer = setTimeout(() => discard(member), idleMs).unref();
    idle.push(member);
  }

  function next(): void {
    while (waiting.length > 0 && (idle.length > 0 || members.size < size)) {
      const item = waiting.shift();
      if (!item) return;
      item.signal?.removeEventListener('abort', item.withdraw);
      const member = idle.pop() ?? start();
      clearTimeout(member.idleTimer);
      void execute(member, item);
    }
  }

  function explained(error: unknown): unknown {
    const trouble = taskTrouble(error);
    return trouble && options.explain ? options.explain(trouble, error as Error) : error;
  }

  function execute(member: Member, { name, input, signal, resolve, reject }: Waiting): void {
    const { process } = member;
    let timer: NodeJS.Timeout | undefined;
    /** Whichever comes first: a reply, the end of the process, time, or an abort. */
    const settle = (settled: () => void, isUsable: boolean) => {
      if (!stopRunning.delete(stop)) return;
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      member.tasks += 1;
      if (isUsable && member.tasks < tasksPerProcess && members.has(member)) rest(member);
      else discard(member);
      settled();
      next();
    };
    const stop = (error: unknown) => settle(() => reject(explained(error)), false);
    const abort = () => stop(signal?.reason);
    stopRunning.add(stop);
    signal?.addEventListener('abort', abort, { once: true });
    process.setIdle(false);

    let request: Buffer[];
    try {
      request = writeFrame({ name, input });
    } catch (error) {
      // The input cannot be sent, which is no fault of the process.
      settle(() => reject(error), true);
      return;
    }
    process.ready
      .then(() => {
        // The time to start is not the task's.
        timer = setTimeout(
          () => stop(new ProcessStopped('timeout', `The task took longer than ${timeoutMs} ms.`)),
          timeoutMs,
        );
        return process.ask(request);
      })
      .then((reply) => settle(() => answer(reply), 'rss' in reply && reply.rss < heavyBytes), stop);

    function answer(reply: Reply): void {
      if ('result' in reply) resolve(reply.result);
      else if ('error' in reply) reject(explained(new TaskFailed(reply.error)));
      else
        reject(explained(new ProcessStopped('output', `The task answered with more than ${resultMb} MB.`)));
    }
  }

  return {
    run: ((name: string, input: unknown, { signal }: RunOptions = {}) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(closed());
        if (signal?.aborted) return reject(signal.reason);
        if (waiting.length >= mostWaiting) {
          return reject(new ProcessStopped('busy', `${mostWaiting} tasks are waiting already.`));
        }
        const withdraw = () => {
          waiting.splice(waiting.indexOf(item), 1);
          reject(signal?.reason);
        };
        const item: Waiting = { name, input, signal, resolve, reject, withdraw };
        waiting.push(item);
        signal?.addEventListener('abort', withdraw, { once: true });
        next();
      })) as Run<Tasks>,
    async close() {
      isClosed = true;
      for (const { reject, signal, withdraw } of waiting.splice(0)) {
        signal?.removeEventListener('abort', withdraw);
        reject(closed());
      }
      for (const stop of [...stopRunning]) stop(closed());
      for (const member of [...members]) discard(member);
      await Promise.all([...ending]);
    },
  };
}

function closed(): ProcessStopped {
  return new ProcessStopped('closed', 'The pool is closed.');
}
