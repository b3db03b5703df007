import type { FastifyReply, FastifyRequest } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import type { Actor } from '../platform/audit/audit.ts';
import { NEXUS_VERSION } from '../platform/version.ts';
import { digest } from '../platform/version-tag.ts';
import type { HttpServer } from './http-server.ts';
import { hasETag } from './openapi/headers.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Names the state of the object that updates change; set by `versioned`. */
    version: string | undefined;
  }
}

/**
 * Gives answers to GET an `ETag`, and answers 304 without a body when the client has the same already. The `ETag` of an
 * object that can be changed has two parts, `"version-content"`: `If-Match` compares the first, so that a counter in the
 * answer does not make a change fail.
 */
export function registerConditionalRequests(server: HttpServer): void {
  server.decorateReply('version', undefined);

  server.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    const { config } = request.routeOptions;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const isRead = hasETag({ method, config });
    if (!isRead && !reply.version) return payload;
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache');
    if (reply.hasHeader('etag')) return payload;
    const content = digest(payload);
    const tag = reply.version ? `"${reply.version}-${content}"` : `W/"${content}"`;
    reply.header('etag', tag);
    return isRead && isNotModified(request, tag) ? notModified(reply) : payload;
  });
}

/**
 * Answers with something large whose state is known by a few characters. They are read first if the client may have it
 * already, so that the whole is read only for those who do not.
 */
export async function unlessKnown<T extends { state: string }>(
  reply: FastifyReply,
  { readState, read }: { readState: () => Promise<string | undefined>; read: () => Promise<T> },
): Promise<{ data: T } | undefined> {
  if (reply.request.headers['if-none-match'] !== undefined) {
    const state = await readState();
    if (state !== undefined && isNotModified(reply.request, tagOf(state))) {
      reply.header('etag', tagOf(state)).header('cache-control', 'private, no-cache');
      await reply.send(notModified(reply));
      return undefined;
    }
  }
  const data = await read();
  reply.header('etag', tagOf(data.state));
  return { data };
}

/** Answers with bytes whose state is known before they are made, and makes them only for those who do not have them. */
export async function sendUnlessKnown(
  reply: FastifyReply,
  { state, make }: { state: string; make: () => Promise<unknown> },
): Promise<never> {
  const tag = tagOf(state);
  // `*` stands for any answer. Whether there is one, such as of a text that a policy blocks, is known when it is made.
  const isKnown = reply.request.headers['if-none-match']?.trim() !== '*' && isNotModified(reply.request, tag);
  const payload = isKnown ? notModified(reply) : await make();
  // Not before: an error must not have the ETag of the answer.
  reply.header('etag', tag).header('cache-control', 'private, no-cache');
  return reply.send(payload as never) as never;
}

/** Another release may write the same state differently. */
const tagOf = (state: string) => `W/"${digest(`${NEXUS_VERSION} ${state}`)}"`;

/** Whether the client has this state of the answer already. */
export function isNotModified(request: FastifyRequest, tag: string): boolean {
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  const bare = (one: string) => one.trim().replace(/^W\//, '');
  return given.trim() === '*' || given.split(',').some((one) => bare(one) === bare(tag));
}

export function notModified(reply: FastifyReply): string {
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return '';
}

/** Answers with an object that can be changed, and names its state. */
export async function versioned<T>(
  reply: FastifyReply,
  object: Promise<T>,
  versionOf: (object: T) => string,
) {
  const data = await object;
  reply.version = versionOf(data);
  return { data };
}

/** Returns a function that refuses a change of another state than the one in `If-Match`; undefined without the header. */
export function preconditionOf(request: FastifyRequest): Actor['requireVersion'] {
  const given = request.headers['if-match'];
  if (given === undefined || given.trim() === '*') return undefined;
  const versions = given.split(',').map((tag) => tag.trim().replace(/^(W\/)?"|-[\w-]*"$/g, ''));
  return (version) => {
    if (versions.includes(version)) return;
    throw new NexusError(
      'E_PRECONDITION_FAILED',
      'Somebody else has changed this since you read it. Read it again, then change it.',
    );
  };
}
