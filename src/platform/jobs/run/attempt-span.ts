import { contextOf, currentTraceparent, inSpan, markFailed, SpanKind } from '../../telemetry/tracing.ts';
import type { Outcome } from '../settle/endings.ts';
import type { RunningJob } from './running-job.ts';

/** How an attempt ended, for metrics and traces. `dropped`: its job was cancelled, or its lease was lost. */
type AttemptEnd = 'succeeded' | 'failed' | 'retry' | 'interrupted' | 'stopped' | 'dropped';

export function endOf({ isCompleted }: RunningJob, outcome: Outcome | undefined): AttemptEnd {
  if (outcome === undefined) return isCompleted ? 'succeeded' : 'dropped';
  return outcome.kind === 'cancelled' || outcome.kind === 'released' ? 'dropped' : outcome.kind;
}

/**
 * Runs an attempt in a span, in the trace that the job was enqueued in: a retry is another span of the same trace. What the
 * job causes, also by its end, is below the span of the attempt.
 */
export async function inAttemptSpan(
  attempt: RunningJob,
  run: () => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  const { job } = attempt;
  const settings = {
    name: `process ${job.job_type}`,
    kind: SpanKind.CONSUMER,
    parent: contextOf(job.traceparent),
    attributes: {
      'messaging.system': 'nexus',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': job.job_type,
      'messaging.message.id': job.id,
      'nexus.job.attempt': job.attempt,
      'nexus.job.waited_ms': Math.round(job.waited_ms),
    },
  };
  return inSpan(settings, async (span) => {
    job.traceparent = currentTraceparent();
    const outcome = await run();
    const end = endOf(attempt, outcome);
    span.setAttribute('nexus.job.outcome', end);
    if (end === 'failed' || end === 'retry' || end === 'interrupted')
      markFailed(span, { code: outcome && 'errorCode' in outcome ? outcome.errorCode : undefined });
    return outcome;
  });
}
