import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { invalidField } from '../contract/invalid-request.ts';
import type { Actor } from '../platform/audit/audit.ts';
import type {
  IdempotentRequest,
  IdempotentRequests,
  StoredAnswer,
} from '../platform/idempotency/idempotent-requests.ts';
import { replyWithError, writeError } from './errors.ts';
import type { HttpServer } from './http-server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for requests that must be carried out once. */
    idempotent: IdempotentRequest | null;
    /** Claims the `Idempotency-Key`; undefined without one. */
    claim: Actor['claim'];
  }
}

const VALID_KEY = /^[\x21-\x7e]{1,255}$/;
/** Larger answers are not stored. No route that creates something has one. */
const MOST_STORED_BYTES = 1024 * 1024;
const KEPT_HEADERS = ['content-type', 'location'];
/** How long a request waits for the answer to an equal one that is being carried out. */
const ANSWER_WAIT_MS = 5000;
const ANSWER_POLL_MS = 25;

/**
 * Carries out a POST with an `Idempotency-Key` once: an equal request within a day gets the same answer. When a person
 * deletes an object for a second time, which is not there any more, the answer is that of the first.
 */
export function registerIdempotency(server: HttpServer, requests: IdempotentRequests): void {
  server.decorateRequest('idempotent', null);
  server.decorateRequest('claim', undefined);

  server.addHook('preHandler', async (request, reply) => {
    const idempotent = identify(request);
    request.idempotent = idempotent;
    if (!idempotent || request.method === 'DELETE') return;
    request.claim = (tx) => requests.claim(tx, idempotent);
    const earlier = await requests.find(idempotent);
    if (earlier) return replay(reply, earlier.answer ?? (await waitForAnswer(idempotent)));
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const { idempotent } = request;
    if (!idempotent || reply.hasHeader('idempotency-replayed')) return payload;
    const { statusCode: status } = reply;
    if (status >= 200 && status < 300) {
      const answer = {
        status,
        headers: keptHeaders(reply),
        body: typeof payload === 'string' ? payload : '',
      };
      // The request is done, whether its answer can be stored or not.
      if (answer.body.length <= MOST_STORED_BYTES) {
        await requests.storeAnswer(idempotent, answer).catch((error) => {
          request.log.warn({ err: error }, 'the answer to an idempotent request could not be stored');
        });
      }
      return payload;
    }
    if (!isGone(request, payload)) return payload;
    try {
      if (!(await requests.find(idempotent))) return payload;
    } catch (error) {
      // Fastify would send an error of this hook in its own format.
      reply.removeHeader('content-length');
      return writeError(error, request, reply);
    }
    reply.code(204).removeHeader('content-type').removeHeader('content-length');
    return '';
  });

  server.setErrorHandler((error, request, reply) => {
    void replayEqual(request, reply)
      .then((isAnswered) => isAnswered || replyWithError(error, request, reply))
      .catch((failure) => replyWithError(failure, request, reply));
  });

  /**
   * Answers like an equal request that has committed while this one was at work, if there is one. This one has then failed,
   * because the key was claimed, or because what it was to make is there.
   */
  async function replayEqual(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { idempotent, claim } = request;
    if (!idempotent || !claim) return false;
    const earlier = await requests.find(idempotent);
    if (!earlier) return false;
    replay(reply, earlier.answer ?? (await waitForAnswer(idempotent)));
    return true;
  }

  async function waitForAnswer(request: IdempotentRequest): Promise<StoredAnswer> {
    const deadline = Date.now() + ANSWER_WAIT_MS;
    while (Date.now() < deadline) {
      const earlier = await requests.find(request);
      if (earlier?.answer) return earlier.answer;
      await pause(ANSWER_POLL_MS);
    }
    throw new NexusError(
      'E_IDEMPOTENCY_CONFLICT',
      'A request with this Idempotency-Key is still being carried out, or its answer was lost. Read what it has made, or try again later.',
    );
  }
}

/** Whether a DELETE has not found its object. A library that the caller is no longer a member of is something else. */
function isGone(request: FastifyRequest, payload: unknown): boolean {
  const { goneCode } = request.routeOptions.config;
  return goneCode !== undefined && typeof payload === 'string' && payload.includes(`"code":"${goneCode}"`);
}

function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer): FastifyReply {
  return reply
    .status(status)
    .headers({ ...headers, 'idempotency-replayed': 'true' })
    .serializer((text: string) => text)
    .send(body);
}

function identify(request: FastifyRequest): IdempotentRequest | null {
  const { principal, method } = request;
  if (!principal) return null;
  const userId = principal.user_id;
  if (method === 'DELETE') {
    if (!request.routeOptions.config.goneCode) return null;
    const key = `DELETE ${request.url}`;
    return { userId, key, requestHash: createHash('sha256').update(key).digest() };
  }
  const key = request.headers['idempotency-key'];
  if (method !== 'POST' || key === undefined) return null;
  if (typeof key !== 'string' || !VALID_KEY.test(key))
    throw invalidField('Idempotency-Key', 'must have 1 to 255 visible ASCII characters', 'wrong_format');
  const requestHash = createHash('sha256')
    .update(`${method} ${request.url}\n${JSON.stringify(request.body ?? null)}`)
    .digest();
  return { userId, key, requestHash };
}

function keptHeaders(reply: FastifyReply): Record<string, string> {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return Object.fromEntries(kept);
}
