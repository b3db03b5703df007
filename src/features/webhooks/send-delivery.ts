import type { Egress, EgressResponse } from '../../platform/egress/egress.ts';
import { retryAfter } from '../../platform/egress/errors.ts';
import { deliveryDelay } from './schedule.ts';
import type { ClaimedDelivery, LoggedAttempt, Settlement } from './sending-store.ts';
import { signatures } from './signature.ts';

interface SendOptions {
  egress: Pick<Egress, 'request'>;
  answerSeconds: number;
  random: (() => number) | undefined;
}

const GONE = 410;
/** How much of the response is kept for the log. */
const KEPT_BYTES = 1024;

/** Sends a delivery once. Resolves to its outcome; never rejects. */
export async function sendDelivery(
  delivery: ClaimedDelivery,
  { egress, answerSeconds, random }: SendOptions,
): Promise<Settlement> {
  const startedAt = performance.now();
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const requestHeaders = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'webhook-id': delivery.event_id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures(delivery.secrets, delivery.event_id, timestampSeconds, delivery.body),
  };

  function ended(
    error: string | null,
    answer: Pick<LoggedAttempt, 'responseStatus' | 'responseBody' | 'errorCode'>,
    retryAfterSeconds?: number,
  ): Settlement {
    const attempt = { ...answer, requestHeaders, durationMs: performance.now() - startedAt };
    if (error === null) return { delivery, status: 'delivered', delaySeconds: 0, error, attempt };
    const counted = delivery.attempts - delivery.interruptions;
    const delay =
      answer.responseStatus === GONE ? undefined : deliveryDelay(counted, retryAfterSeconds, random);
    if (delay === undefined) return { delivery, status: 'failed', delaySeconds: 0, error, attempt };
    return { delivery, status: 'pending', delaySeconds: delay, error, attempt };
  }

  try {
    const answer = await egress.request(delivery.url, {
      method: 'POST',
      headers: requestHeaders,
      body: delivery.body,
      maxRedirects: 0,
      reusesConnections: true,
      passesTrace: true,
      limits: { totalMs: answerSeconds * 1000 },
    });
    const responseBody = await firstBytes(answer);
    return ended(
      refusalOf(answer.status),
      { responseStatus: answer.status, responseBody, errorCode: null },
      retryAfter(answer.headers['retry-after']),
    );
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const errorCode = code?.startsWith('E_') ? code : null;
    return ended(message, { responseStatus: null, responseBody: null, errorCode });
  }
}

function refusalOf(status: number): string | null {
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399) return `It answered ${status}; redirects are not followed.`;
  return `It answered ${status}.`;
}

/** Reads the beginning of a response. A response that breaks off counts by its status. */
async function firstBytes({ status, body }: EgressResponse): Promise<string> {
  if (status === 204) {
    body.resume();
    return '';
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop destroys the body: the rest is not waited for.
      if (length >= KEPT_BYTES) break;
    }
  } catch {
    // The status decides; what was read of the body is kept.
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8').replaceAll('\0', '');
}
