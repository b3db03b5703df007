import { contextOf, inSpan, markFailed, SpanKind } from '../../platform/telemetry/tracing.ts';
import type { ClaimedDelivery, Settlement } from './sending-store.ts';

/** Sends a delivery in a span, in the trace of its event. */
export async function inDeliverySpan(
  delivery: ClaimedDelivery,
  send: () => Promise<Settlement>,
): Promise<Settlement> {
  const settings = {
    name: 'process webhook_deliveries',
    kind: SpanKind.CONSUMER,
    parent: contextOf(delivery.traceparent),
    attributes: {
      'messaging.system': 'nexus',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'webhook_deliveries',
      'messaging.message.id': delivery.event_id,
      'nexus.webhook.id': delivery.webhook_id,
      'nexus.webhook.attempt': delivery.attempts,
    },
  };
  return inSpan(settings, async (span) => {
    const settlement = await send();
    span.setAttribute('nexus.webhook.status', settlement.status);
    if (settlement.status !== 'delivered') markFailed(span, { code: settlement.attempt?.errorCode });
    return settlement;
  });
}
