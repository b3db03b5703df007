import path from 'node:path';
import type { EndedTask, Metrics } from '../telemetry/metrics.ts';
import { isTracing } from '../telemetry/tracing.ts';
import { writeFrame } from './frames.ts';
import type { Reply, Timing, Work } from './serve-tasks.ts';
import { type FailureCause, failureCause, ProcessStopped, TaskFailed } from './stopped.ts';
import { type ProcessLimits, startProcess, type TaskProcess } from './task-process.ts';
import { inTaskSpan } from './task-span.ts';

export interface RunOptions {
  signal?: AbortSignal | undefined;
}

/** Runs a task by name. */
export type Run<Tasks extends Work> = <Name extends keyof Tasks & string>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
  options?: RunOptions,
) => Promise<Awaited<ReturnType<Tasks[Name]>>>;

export interface PoolOptions extends ProcessLimits {
  /** The module that a process runs. It calls `serveTasks`. */
  entry: URL;
  /** The maximum number of processes. They start on demand. */
  size: number;
  /** The maximum number of waiting tasks. More are refused with the reason `busy`. */
  maxWaiting?: number;
  /** The number of tasks after which a process is replaced, to free memory that they leaked. */
  tasksPerProcess?: number;
  /** An idle process ends after this time. */
  idleMs?: number;
  /** Returns the error for the caller of a failed task, as a sentence that a person can act on. */
  explain?(cause: FailureCause, error: Error): Error;
  metrics?: Pick<Metrics, 'observeTask'> | undefined;
}

/** The processes and tasks of a pool. */
export interface PoolUsage {
  pool: string;
  /** The maximum number of processes. */
  size: number;
  running: number;
  idle: number;
  waiting: number;
}

interface Waiting {
  name: string;
  input: unknown;
  signal: AbortSignal | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** Removes the task from the queue when it is aborted. */
  withdraw(): void;
  since: number;
  onTiming: ((timing: Timing) => void) | undefined;
}

interface Member {
  process: TaskProcess;
  tasks: number;
  idleTimer?: NodeJS.Timeout;
}

/** Runs tasks in child processes, one task per process at a time, and kills processes that exceed their limits. */
export function createProcessPool<Tasks extends Work>(options: PoolOptions) {
  const { entry, size, timeoutMs, resultMb, metrics } = options;
  const pool = poolName(entry);
  const { maxWaiting = 1000, tasksPerProcess = 200, idleMs = 60_000 } = options;
  const waiting: Waiting[] = [];
  const idle: Member[] = [];
  const members = new Set<Member>();
  const ending = new Set<Promise<void>>();
  const stopRunning = new Set<(error: unknown) => void>();
  /** A process that keeps this much memory after a task is replaced, so that its next task has enough. */
  const maxIdleBytes = (options.memoryMb * 1024 * 1024) / 2;
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

  function setIdle(member: Member): void {
    member.process.setIdle(true);
    member.idleTimer = setTimeout(() => discard(member), idleMs).unref();
    idle.push(member);
  }

  function next(): void {
    while (waiting.length > 0 && (idle.length > 0 || members.size < size)) {
      const item = waiting.shift();
      if (!item) return;
      item.signal?.removeEventListener('abort', item.withdraw);
      let member: Member;
      try {
        member = idle.pop() ?? start();
      } catch (error) {
        item.reject(error);
        continue;
      }
      clearTimeout(member.idleTimer);
      execute(member, item);
    }
  }

  function explained(error: unknown): unknown {
    const cause = failureCause(error);
    return cause && options.explain ? options.explain(cause, error as Error) : error;
  }

  function execute(member: Member, item: Waiting): void {
    const { name, input, signal, resolve, reject, since, onTiming } = item;
    const { process } = member;
    let begunAt = performance.now();
    const observe = (outcome: EndedTask['outcome']) =>
      metrics?.observeTask({
        pool,
        outcome,
        waitedSeconds: (begunAt - since) / 1000,
        seconds: (performance.now() - begunAt) / 1000,
      });
    let timer: NodeJS.Timeout | undefined;
    /** Settles the task once: with a reply, the end of the process, a timeout, or an abort. */
    const settle = (settled: () => void, isUsable: boolean) => {
      if (!stopRunning.delete(stop)) return;
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      member.tasks += 1;
      if (isUsable && member.tasks < tasksPerProcess && members.has(member)) setIdle(member);
      else discard(member);
      settled();
      next();
    };
    const stop = (error: unknown) =>
      settle(() => {
        observe('stopped');
        reject(explained(error));
      }, false);
    const abort = () => stop(signal?.reason);
    stopRunning.add(stop);
    signal?.addEventListener('abort', abort, { once: true });
    process.setIdle(false);

    let request: Buffer[];
    try {
      request = writeFrame({ name, input });
    } catch (error) {
      // The input cannot be serialised; the process is still usable.
      settle(() => reject(error), true);
      return;
    }
    process.ready
      .then(() => {
        begunAt = performance.now();
        // The timeout does not include the start of the process.
        timer = setTimeout(
          () => stop(new ProcessStopped('timeout', `The task took longer than ${timeoutMs} ms.`)),
          timeoutMs,
        );
        return process.send(request);
      })
      .then((reply) => settle(() => handleReply(reply), 'rss' in reply && reply.rss < maxIdleBytes), stop);

    function handleReply(reply: Reply): void {
      observe('result' in reply ? 'succeeded' : 'failed');
      if ('timing' in reply && reply.timing) onTiming?.(reply.timing);
      if ('result' in reply) resolve(reply.result);
      else if ('error' in reply) reject(explained(new TaskFailed(reply.error)));
      else reject(explained(new ProcessStopped('output', `The result is larger than ${resultMb} MB.`)));
    }
  }

  function enqueue(
    task: Pick<Waiting, 'name' | 'input' | 'signal'>,
    onTiming?: (timing: Timing) => void,
  ): Promise<unknown> {
    const { signal } = task;
    return new Promise((resolve, reject) => {
      if (isClosed) return reject(closed());
      if (signal?.aborted) return reject(signal.reason);
      if (waiting.length >= maxWaiting) {
        return reject(new ProcessStopped('busy', `${maxWaiting} tasks are already waiting.`));
      }
      const withdraw = () => {
        waiting.splice(waiting.indexOf(item), 1);
        reject(signal?.reason);
      };
      const item: Waiting = { ...task, resolve, reject, withdraw, onTiming, since: performance.now() };
      waiting.push(item);
      signal?.addEventListener('abort', withdraw, { once: true });
      next();
    });
  }

  return {
    /** Runs a task. Rejects with the result of `explain`, a `ProcessStopped`, or the reason of an abort. */
    run: ((name: string, input: unknown, { signal }: RunOptions = {}) => {
      const task = { name, input, signal };
      if (!isTracing()) return enqueue(task);
      return inTaskSpan(pool, name, (onTiming) => enqueue(task, onTiming));
    }) as Run<Tasks>,
    usage: (): PoolUsage => ({
      pool,
      size,
      running: members.size - idle.length,
      idle: idle.length,
      waiting: waiting.length,
    }),
    /** Kills all processes and resolves when they have ended. Running and waiting tasks are rejected. */
    async close(): Promise<void> {
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

/** Returns the URL of a module in the importer's folder. In a build, whose files are all in one folder, it is an entry of rolldown.config.mjs. */
export function siblingModule(importer: string, name: string): URL {
  return new URL(`./${name}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer);
}

/** The name of a pool in metrics and traces: `extractor` for extractor-worker. */
function poolName(entry: URL): string {
  return path.parse(entry.pathname).name.replace(/-worker$/, '');
}

function closed(): ProcessStopped {
  return new ProcessStopped('closed', 'The pool is closed.');
}
