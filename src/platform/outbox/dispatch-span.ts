import {
  type Context,
  contextOf,
  currentTraceparent,
  inSpan,
  markFailed,
  SpanKind,
  trace,
} from '../telemetry/tracing.ts';
import type { ClaimedEvent, Settlement } from './dispatch-store.ts';

/** Dispatches an event in a span, in the trace that it was emitted in. Its deliveries are below that span. */
export async function inDispatchSpan(
  event: ClaimedEvent,
  dispatch: (event: ClaimedEvent) => Promise<Settlement>,
): Promise<Settlement> {
  const settings = {
    name: `process ${event.event_type}`,
    kind: SpanKind.CONSUMER,
    parent: contextOf(event.traceparent),
    attributes: {
      'messaging.system': 'nexus',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'outbox',
      'messaging.message.id': event.id,
      'nexus.event.type': event.event_type,
      'nexus.event.attempt': event.attempts,
    },
  };
  return inSpan(settings, async (span) => {
    event.traceparent = currentTraceparent();
    const settlement = await dispatch(event);
    span.setAttribute('nexus.event.status', settlement.status);
    if (settlement.status !== 'delivered') markFailed(span, undefined);
    return settlement;
  });
}

/** Calls a subscriber for several events at once: below the first of them, with links to the others. */
export function inBatchSpan<T>(name: string, contexts: Context[], call: () => Promise<T>): Promise<T> {
  const [parent, ...others] = contexts;
  const links = others.flatMap((other) => trace.getSpanContext(other) ?? []).map((context) => ({ context }));
  const attributes = { 'messaging.batch.message_count': contexts.length };
  return inSpan({ name: `call ${name}`, ...(parent && { parent }), links, attributes }, call);
}
