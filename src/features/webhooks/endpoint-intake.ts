import { type Intake, Prefetch } from '../../platform/work/intake.ts';
import type { ClaimedDelivery, Wants } from './sending-store.ts';

interface Endpoint {
  ahead: Prefetch<ClaimedDelivery>;
  running: number;
  /** Whether the last claim found as many deliveries as it asked for, so that there may be more. */
  isFull: boolean;
}

/** Longer than for jobs: an endpoint has few slots, so its rate shows slowly how much it takes. */
const AHEAD_MS = 200;

/** Slots for each webhook, so that one that hangs holds up its own deliveries and no others. */
interface EndpointIntake extends Intake<ClaimedDelivery> {
  wants(): Wants;
  /** Notes what a claim found, to know of which webhooks there may be more. */
  note(asked: Wants, deliveries: ClaimedDelivery[]): boolean;
}

export function createEndpointIntake(slots: () => number): EndpointIntake {
  const endpoints = new Map<string, Endpoint>();
  const missing = ({ ahead, running }: Endpoint) => ahead.missing(Math.max(0, slots() - running));

  function endpointOf(webhookId: string): Endpoint {
    const endpoint = endpoints.get(webhookId) ?? { ahead: new Prefetch(AHEAD_MS), running: 0, isFull: false };
    endpoints.set(webhookId, endpoint);
    return endpoint;
  }

  return {
    wanted(isWoken) {
      const full = [...endpoints.values()].filter(({ isFull }) => isFull);
      return full.reduce((sum, endpoint) => sum + missing(endpoint), isWoken ? 1 : 0);
    },
    wants: () => ({
      ofOthers: slots(),
      byWebhook: new Map([...endpoints].map(([id, endpoint]) => [id, missing(endpoint)])),
    }),
    note({ ofOthers, byWebhook }, deliveries) {
      const counts = new Map<string, number>();
      for (const { webhook_id } of deliveries) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1);
      for (const id of new Set([...byWebhook.keys(), ...counts.keys()])) {
        const asked = byWebhook.get(id) ?? ofOthers;
        // Nothing is learned of a webhook that was asked for nothing.
        if (asked > 0) endpointOf(id).isFull = (counts.get(id) ?? 0) >= asked;
      }
      return [...endpoints.values()].some(({ isFull }) => isFull);
    },
    add(deliveries) {
      const byWebhook = new Map<string, ClaimedDelivery[]>();
      for (const delivery of deliveries) {
        const known = byWebhook.get(delivery.webhook_id);
        if (known) known.push(delivery);
        else byWebhook.set(delivery.webhook_id, [delivery]);
      }
      for (const [id, claimed] of byWebhook) endpointOf(id).ahead.add(claimed);
    },
    begin() {
      for (const endpoint of endpoints.values()) {
        const delivery = endpoint.running < slots() ? endpoint.ahead.take() : undefined;
        if (!delivery) continue;
        endpoint.running += 1;
        return delivery;
      }
      return undefined;
    },
    ended({ webhook_id }) {
      const endpoint = endpointOf(webhook_id);
      endpoint.running -= 1;
      if (endpoint.running === 0 && endpoint.ahead.size === 0 && !endpoint.isFull)
        endpoints.delete(webhook_id);
    },
    isHolding: () => [...endpoints.values()].some(({ ahead }) => ahead.size > 0),
    takeHeld: (longerThanMs) =>
      [...endpoints.values()].flatMap(({ ahead }) =>
        ahead.size > 0 && ahead.heldMs() >= longerThanMs ? ahead.clear() : [],
      ),
  };
}
