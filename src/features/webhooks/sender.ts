import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import { retryAfter } from '../../platform/egress/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type ClaimLoop, startClaimLoop } from '../../platform/outbox/claim-loop.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';
import type { Hints } from '../../platform/outbox/hints.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import * as deliveryStore from './delivery-store.ts';
import { retryDelaySeconds } from './schedule.ts';
import { signatures } from './signature.ts';
import * as store from './store.ts';

export interface SenderOptions {
  sql: Database;
  log: Logger;
  egress: Pick<Egress, 'request'>;
  /** After so long an endpoint has failed to answer. */
  answerSeconds?: number;
  /** After so long a delivery whose sender was not heard of is due again; longer than an answer may take. */
  visibilitySeconds?: number;
  /** From 0 to 1. */
  chance?: () => number;
}

export interface Sender {
  /** Sends whatever is due, whenever it is. */
  start(hints: Hints, pollSeconds: number): ClaimLoop;
}

const SLOTS = 100;
/** Of one webhook. */
const AT_ONCE = 10;
const FAILING_DAYS = 5;
const GONE = 410;
/** Of the answer, for the log. */
const KEPT_BYTES = 1024;

/** Sends deliveries to webhooks. Any number may; a delivery is in the hands of one at a time. */
export function createSender(options: SenderOptions): Sender {
  const { sql, log, egress, answerSeconds = 20, visibilitySeconds = 60, chance = Math.random } = options;
  if (answerSeconds >= visibilitySeconds) throw new Error('A claim must outlast the answer it waits for.');

  async function run(delivery: deliveryStore.ClaimedDelivery): Promise<void> {
    const { retryAfterSeconds, ...outcome } = await attempt(delivery);
    const delaySeconds =
      outcome.responseStatus === GONE
        ? undefined
        : retryDelaySeconds(delivery.attempts, chance(), retryAfterSeconds);
    const settle = (within: Queryable) =>
      deliveryStore.settleDelivery(within, delivery, outcome, delaySeconds);
    const failingDays =
      outcome.error === null
        ? await settle(sql)
        : await transaction(sql, (tx) => fail(tx, settle, delivery, outcome));
    if (failingDays === undefined)
      log.warn({ delivery_id: delivery.id }, 'the outcome of a delivery was dropped: others have taken it');
  }

  /** A failure may be the one that disables the webhook; then both are written together. */
  async function fail(
    tx: Transaction,
    settle: (tx: Transaction) => Promise<number | undefined>,
    delivery: deliveryStore.ClaimedDelivery,
    { responseStatus }: deliveryStore.AttemptOutcome,
  ): Promise<number | undefined> {
    const failingDays = await settle(tx);
    if (failingDays === undefined) return undefined;
    if (responseStatus === GONE) await disable(tx, delivery, 'It answered 410 Gone.');
    else if (failingDays >= FAILING_DAYS)
      await disable(tx, delivery, `It has done nothing but fail for ${FAILING_DAYS} days.`);
    return failingDays;
  }

  async function attempt(
    delivery: deliveryStore.ClaimedDelivery,
  ): Promise<deliveryStore.AttemptOutcome & { retryAfterSeconds?: number | undefined }> {
    const startedAt = performance.now();
    const now = new Date();
    const timestampSeconds = Math.floor(now.getTime() / 1000);
    const requestHeaders = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': delivery.event_id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatures(delivery.secrets, delivery.event_id, timestampSeconds, delivery.body),
    };
    const ended = (
      rest: Pick<deliveryStore.AttemptOutcome, 'error' | 'responseStatus' | 'responseBody'>,
    ) => ({
      ...rest,
      requestHeaders,
      durationMs: performance.now() - startedAt,
    });
    try {
      const answer = await egress.request(delivery.url, {
        method: 'POST',
        headers: requestHeaders,
        body: delivery.body,
        maxRedirects: 0,
        limits: { totalMs: answerSeconds * 1000 },
      });
      const responseBody = await firstBytes(answer.body);
      const error = refusalOf(answer.status);
      const retryAfterSeconds = retryAfter(answer.headers['retry-after']);
      return { ...ended({ error, responseStatus: answer.status, responseBody }), retryAfterSeconds };
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return ended({
        error: { code: code?.startsWith('E_') ? code : null, message },
        responseStatus: null,
        responseBody: null,
      });
    }
  }

  return {
    start(hints, pollSeconds) {
      const loop = startClaimLoop({
        slots: SLOTS,
        pollSeconds,
        log,
        claim: (want) => deliveryStore.claimDeliveries(sql, want, AT_ONCE, newId(), visibilitySeconds),
        // A webhook that had as many under way as it may has room for another now.
        run: (delivery) => run(delivery).finally(() => loop.wake()),
        untilNextDue: () => deliveryStore.untilNextDelivery(sql),
      });
      const unsubscribe = hints.on('webhooks', loop.wake);
      return {
        wake: loop.wake,
        async stop(graceSeconds) {
          unsubscribe();
          await loop.stop(graceSeconds);
        },
      };
    },
  };
}

async function disable(
  tx: Transaction,
  { webhook_id, url }: deliveryStore.ClaimedDelivery,
  reason: string,
): Promise<void> {
  if (!(await store.disableWebhook(tx, webhook_id, reason))) return;
  await emitEvent(tx, {
    eventType: 'webhook.disabled',
    aggregateType: 'webhook',
    aggregateId: webhook_id,
    payload: { webhook_id, url, reason },
  });
}

function refusalOf(status: number): deliveryStore.AttemptOutcome['error'] {
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399)
    return { code: null, message: `It answered ${status}; redirects are not followed.` };
  return { code: null, message: `It answered ${status}.` };
}

/** What comes after is not waited for. An answer that breaks off has been given all the same. */
async function firstBytes(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= KEPT_BYTES) break;
    }
  } catch {
    // The status is what counts.
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8').replaceAll('\0', '');
}
