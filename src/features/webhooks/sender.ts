import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { isTracing } from '../../platform/telemetry/tracing.ts';
import { releaseClaimed } from '../../platform/work/claimed-rows.ts';
import { openLane } from '../../platform/work/lanes.ts';
import { startLoop } from '../../platform/work/loop.ts';
import type { WorkSource } from '../../platform/work/source.ts';
import { inDeliverySpan } from './delivery-span.ts';
import { DELIVERIES_DUE } from './delivery-store.ts';
import { createEndpointIntake } from './endpoint-intake.ts';
import { sendDelivery } from './send-delivery.ts';
import * as sending from './sending-store.ts';
import { disableWebhook } from './store.ts';

export interface SenderOptions {
  sql: Database;
  log: Logger;
  egress: Pick<Egress, 'request'>;
  /** An endpoint that takes longer to answer has failed. */
  answerSeconds?: number;
  random?: () => number;
  metrics?: Pick<Metrics, 'observeClaim' | 'observeDelivery'>;
}

/** Requests in parallel to one webhook, of all workers together. */
const AT_ONCE = 10;
const FAILING_DAYS = 5;
const GONE = 410;

/** Sends deliveries to webhooks. Any number of processes may do it; a delivery belongs to one at a time. */
export function createSender(options: SenderOptions): WorkSource {
  const { sql, log, egress, answerSeconds = 20, random, metrics } = options;

  async function send(delivery: sending.ClaimedDelivery): Promise<sending.Settlement> {
    const startedAt = performance.now();
    const sent = () => sendDelivery(delivery, { egress, answerSeconds, random });
    const settlement = await (isTracing() ? inDeliverySpan(delivery, sent) : sent());
    metrics?.observeDelivery({
      outcome: settlement.status === 'pending' ? 'retry' : settlement.status,
      seconds: (performance.now() - startedAt) / 1000,
    });
    return settlement;
  }

  async function settle(lane: Database, settlements: sending.Settlement[]): Promise<string[]> {
    if (settlements.every(({ error }) => error === null))
      return (await sending.settleDeliveries(lane, settlements)).dropped;
    // A failure may be the one that disables its webhook; then both commit together.
    return transaction(lane, async (tx) => {
      const { dropped, failing } = await sending.settleDeliveries(tx, settlements);
      for (const { webhook_id, failing_days } of failing) {
        const isGone = settlements.some(
          ({ delivery, attempt }) =>
            delivery.webhook_id === webhook_id &&
            attempt?.responseStatus === GONE &&
            !dropped.includes(delivery.id),
        );
        if (isGone) await disable(tx, webhook_id, settlements, 'It answered 410 Gone.');
        else if (failing_days >= FAILING_DAYS)
          await disable(tx, webhook_id, settlements, `All deliveries have failed for ${FAILING_DAYS} days.`);
      }
      return dropped;
    });
  }

  const released = (delivery: sending.ClaimedDelivery): sending.Settlement => ({
    delivery,
    status: 'pending',
    delaySeconds: 0,
    error: null,
    attempt: undefined,
  });

  return {
    takeBack: sending.takeBackDeliveries,

    start(worker) {
      const lanes = { claims: openLane(sql), outcomes: openLane(sql), dueTimes: sql };
      const { registration } = worker;
      // Workers share the endpoint's slots, so that the claims of one that died take none from the others.
      const intake = createEndpointIntake(() => Math.max(1, Math.floor(AT_ONCE / registration.workers())));
      const loop = startLoop<sending.ClaimedDelivery, sending.Settlement>({
        ...worker,
        log,
        metrics,
        lanes,
        intake,
        work: {
          kind: 'deliveries',
          async claim(lane, { workerId, token }) {
            const wants = intake.wants();
            const items = await sending.claimDeliveries(lane, { workerId, token, wants });
            return { items, isMore: intake.note(wants, items) };
          },
          run: send,
          settle,
          releaseClaim: (lane, token) => releaseClaimed(lane, 'webhook_deliveries', token),
          findNextDue: sending.findNextDelivery,
          released,
          stopped: released,
          // An answer that PostgreSQL cannot store is left out of the log.
          unwritable: (settlement) => ({
            ...settlement,
            error: settlement.error && 'The error cannot be stored.',
            attempt: settlement.attempt && { ...settlement.attempt, responseBody: null, errorCode: null },
          }),
          isWaiting: ({ status }) => status === 'pending',
        },
      });
      const unsubscribe = worker.listener.on(DELIVERIES_DUE, () => loop.wake());
      return {
        wake: loop.wake,
        async stop(graceSeconds) {
          unsubscribe();
          const mayHold = await loop.stop(graceSeconds);
          await Promise.all([lanes.claims.end(), lanes.outcomes.end()]);
          return mayHold;
        },
      };
    },
  };
}

async function disable(
  tx: Transaction,
  webhook_id: string,
  settlements: sending.Settlement[],
  reason: string,
): Promise<void> {
  if (!(await disableWebhook(tx, webhook_id, reason))) return;
  const url = settlements.find(({ delivery }) => delivery.webhook_id === webhook_id)?.delivery.url ?? '';
  await emitEvent(tx, {
    eventType: 'webhook.disabled',
    aggregateType: 'webhook',
    aggregateId: webhook_id,
    payload: { webhook_id, url, reason },
  });
}
