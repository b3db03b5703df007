import { context, inSpan, startSpan, trace } from '../telemetry/tracing.ts';
import type { Timing } from './serve-tasks.ts';

/**
 * Runs a task in a span that covers the wait for a process, and adds a span for the time that the process took: that
 * process knows nothing of traces, it only replies with its times.
 */
export function inTaskSpan<T>(
  pool: string,
  task: string,
  run: (onTiming: (timing: Timing) => void) => Promise<T>,
): Promise<T> {
  const attributes = { 'nexus.pool': pool, 'nexus.task': task };
  return inSpan({ name: `task ${task}`, attributes }, (span) => {
    const parent = trace.setSpan(context.active(), span);
    return run(({ pid, startedAt, ms }) => {
      // The process parses untrusted documents, so nothing that it replies is taken for granted.
      if (![pid, startedAt, ms].every(Number.isFinite)) return;
      const timed = { parent, startTime: startedAt, attributes: { ...attributes, 'process.pid': pid } };
      startSpan({ name: `run ${task}`, ...timed }).end(startedAt + ms);
    });
  });
}
