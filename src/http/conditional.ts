import type { FastifyReply, FastifyRequest } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import type { Actor } from '../platform/audit/audit.ts';
import { digest } from '../platform/version-tag.ts';
import type { HttpServer } from './http-server.ts';

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
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (reply.statusCode !== 200 || typeof payload !== 'string' || (!isRead && !reply.version))
      return payload;
    const content = digest(payload);
    const tag = reply.version ? `"${reply.version}-${content}"` : `W/"${content}"`;
    reply.header('etag', tag);
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache');
    return isRead && isNotModified(request, tag) ? notModified(reply) : payload;
  });
}

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
