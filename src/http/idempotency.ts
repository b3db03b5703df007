import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { invalidField } from '../contract/invalid-request.ts';
import { type Role, roleAllows } from '../contract/roles.ts';
import type { Actor } from '../platform/audit/audit.ts';
import type {
  IdempotentRequest,
  IdempotentRequests,
  StoredAnswer,
} from '../platform/idempotency/idempotent-requests.ts';
import { actorOf, principalOf } from './authentication.ts';
import { replyWithError, writeError } from './errors.ts';
import type { HttpServer } from './http-server.ts';
import { idsAndFlags, type Repeated } from './repeats.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for requests that must be carried out once. */
    idempotent: IdempotentRequest | null;
    /** Claims the `Idempotency-Key`; undefined without one. */
    claim: Actor['claim'];
    /** When this request has claimed its key. An error of it is its own then. */
    claimedAt: string | null;
  }
}

const VALID_KEY = /^[\x21-\x7e]{1,255}$/;
const KEPT_HEADERS = ['content-type', 'location'];
const REPLAYED = { 'idempotency-replayed': 'true' };
/** How long a request waits for the answer to an equal one that is being carried out. */
const ANSWER_WAIT_MS = 5000;
const ANSWER_POLL_MS = 25;

/**
 * Carries out a POST with an `Idempotency-Key` once. Its route says how an equal request within a day is answered, so that
 * nobody reads there what they may not read any more. When a person deletes an object for a second time, which is not there
 * any more, the answer is that of the first.
 */
export function registerIdempotency(server: HttpServer, requests: IdempotentRequests): void {
  server.decorateRequest('idempotent', null);
  server.decorateRequest('claim', undefined);
  server.decorateRequest('claimedAt', null);

  server.addHook('preHandler', async (request, reply) => {
    const idempotent = identify(request);
    request.idempotent = idempotent;
    if (!idempotent || request.method === 'DELETE') return;
    const earlier = await requests.find(idempotent);
    if (earlier) return repeat(request, reply, earlier.answer ?? (await waitForAnswer(idempotent)));
    request.claim = async (tx) => {
      request.claimedAt = null;
      request.claimedAt = await requests.claim(tx, idempotent);
    };
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const { idempotent, claimedAt } = request;
    if (!idempotent || reply.hasHeader('idempotency-replayed')) return payload;
    const { statusCode: status } = reply;
    const isDeleted = request.method === 'DELETE' && status < 300;
    if (isDeleted || (claimedAt && status < 500)) {
      const stored = claimedAt
        ? requests.storeAnswer(idempotent, { claimedAt, ...toStore(request, reply, payload) })
        : requests.note(idempotent);
      // The request is done, whether its answer can be stored or not.
      await stored.catch((error) => {
        request.log.warn({ err: error }, 'the answer to an idempotent request could not be stored');
      });
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
    const { idempotent, claim, claimedAt } = request;
    if (!idempotent || !claim || claimedAt) return false;
    const earlier = await requests.find(idempotent);
    if (!earlier) return false;
    await repeat(request, reply, earlier.answer ?? (await waitForAnswer(idempotent)));
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

/** Answers a repeat with the status and the headers of the first answer, as far as the caller may have it now. */
async function repeat(
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredAnswer,
): Promise<FastifyReply> {
  const { repeat: how } = request.routeOptions.config;
  const { status, headers, body } = stored;
  const repeated = () => repeatedBy(request, body) as Repeated<never, never>;
  // A request may be done and have an error as its answer, such as an upload whose file is refused.
  const isRefusal = status >= 400;
  if (how?.kind === 'read' && !isRefusal) {
    const current = await how.read(repeated());
    return reply
      .status(status)
      .headers({ ...headers, ...REPLAYED })
      .send(current);
  }
  if (how?.kind === 'secret') requireSameCredential(request, stored);
  else if (how?.kind === 'stored' && !isRefusal) await how.check?.(repeated());
  else if (!isRefusal)
    throw new NexusError('E_IDEMPOTENCY_CONFLICT', 'This request was carried out. Read what it has made.');
  return reply
    .status(status)
    .headers({ ...headers, ...REPLAYED })
    .serializer((text: string) => text)
    .send(body);
}

function repeatedBy(request: FastifyRequest, answer: string): Repeated {
  const { params, body } = request;
  const made = idsAndFlags(answer);
  return {
    principal: principalOf(request),
    actor: actorOf(request),
    params: params as Repeated['params'],
    body,
    made,
  };
}

/** A secret belongs to the key that asked for it, or to the sessions of the person, while the role is no lower. */
function requireSameCredential(request: FastifyRequest, { apiKeyId, role }: StoredAnswer): void {
  const principal = principalOf(request);
  if (principal.api_key_id === apiKeyId && roleAllows(principal.role, role as Role)) return;
  throw new NexusError(
    'E_FORBIDDEN',
    'This Idempotency-Key was used with other credentials, and the answer has a secret. Repeat the request with those.',
  );
}

/** Returns what is stored of an answer. If it is read again, that is only ids and flags: its text may have to disappear. */
function toStore(request: FastifyRequest, reply: FastifyReply, payload: unknown): StoredAnswer {
  const { kind } = request.routeOptions.config.repeat ?? { kind: 'fresh' };
  const { api_key_id: apiKeyId, role } = principalOf(request);
  const text = typeof payload === 'string' ? payload : '';
  const isWhole = kind === 'stored' || kind === 'secret' || reply.statusCode >= 400;
  const body = isWhole ? text : JSON.stringify(idsAndFlags(text));
  const headers = keptHeaders(reply, isWhole ? KEPT_HEADERS : ['location']);
  return { status: reply.statusCode, headers, body, apiKeyId, role };
}

function identify(request: FastifyRequest): IdempotentRequest | null {
  const { principal, method } = request;
  if (!principal) return null;
  const userId = principal.user_id;
  if (method === 'DELETE') {
    if (!request.routeOptions.config.goneCode) return null;
    const key = `DELETE ${pathOf(request)}`;
    return { userId, key, requestHash: createHash('sha256').update(key).digest() };
  }
  const key = request.headers['idempotency-key'];
  if (method !== 'POST' || key === undefined) return null;
  if (request.routeOptions.config.repeat?.kind === 'fresh') return null;
  if (typeof key !== 'string' || !VALID_KEY.test(key))
    throw invalidField('Idempotency-Key', 'must have 1 to 255 visible ASCII characters', 'wrong_format');
  const requestHash = createHash('sha256')
    .update(`${method} ${pathOf(request)}\n${JSON.stringify(request.body ?? null)}`)
    .digest();
  return { userId, key, requestHash };
}

/** Returns the path with its parameters as they were read: ids are in lower case, whatever was sent. */
function pathOf({ routeOptions, params, url }: FastifyRequest): string {
  const given = params as Record<string, unknown>;
  const path = (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name) =>
    encodeURIComponent(String(given[name])),
  );
  const query = url.indexOf('?');
  return query === -1 ? path : path + url.slice(query);
}

function keptHeaders(reply: FastifyReply, names: string[]): Record<string, string> {
  const kept = names.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return Object.fromEntries(kept);
}
