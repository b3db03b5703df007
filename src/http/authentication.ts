import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import type { Principal } from '../contract/identity.ts';
import type { Role, Scope } from '../contract/roles.ts';
import { API } from '../contract/wire.ts';
import type { Actor, Caller } from '../platform/audit/audit.ts';
import type { Access } from './access.ts';
import { withoutOrigin } from './api-paths.ts';
import { preconditionOf } from './conditional.ts';
import { requireSameOrigin, SAFE_METHODS } from './same-origin.ts';
import { readSessionCookie } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of any route that requires a role. Read it with `principalOf`. */
    principal: Principal | null;
  }
}

/** The checks that the identity feature implements. Each method throws a coded error when it refuses. */
export interface Authentication {
  withApiKey(key: string, caller: Caller): Promise<Principal>;
  withSession(token: string): Promise<Principal>;
  withAccessToken(token: string): Promise<Principal>;
  limitRate(principal: Principal): Promise<Allowance>;
  requireScope(principal: Principal, scope: Scope): void;
  requireRole(principal: Principal, minimum: Role, actor: Actor, target: string): Promise<void>;
}

/** How many more requests a caller may make. */
interface Allowance {
  limit: number;
  remaining: number;
  /** Until all requests are there again. */
  resetSeconds: number;
  /** Set when there are no requests left. */
  refusal?: NexusError;
}

export interface InternalPolicy {
  secret: string | undefined;
  /** Whether callers on this machine are allowed when no secret is configured. */
  openToLoopback: boolean;
}

/** Authenticates every request and checks the role that its route requires. No other code does this. */
export function registerAuthentication(
  app: FastifyInstance,
  authentication: Authentication,
  internal: InternalPolicy,
) {
  app.decorateRequest('principal', null);

  app.addHook('onRequest', async (request, reply) => {
    // Uses the matched route instead of the path, because /%69nternal/ matches /internal/, too.
    const access = request.is404 ? accessOfUnknown(request.url) : request.routeOptions.config.access;
    if (access === 'internal') return requireInternal(request, internal);
    if (access === undefined || access === 'public') return;
    const principal = await authenticate(request, authentication);
    request.principal = principal;
    const { limit, remaining, resetSeconds, refusal } = await authentication.limitRate(principal);
    reply.headers({
      'ratelimit-limit': limit,
      'ratelimit-remaining': remaining,
      'ratelimit-reset': resetSeconds,
    });
    if (refusal) throw refusal;
    authentication.requireScope(principal, SAFE_METHODS.includes(request.method) ? 'read' : 'write');
    const target = `${request.method} ${request.routeOptions.url}`;
    await authentication.requireRole(principal, access, actorOf(request), target);
  });
}

/** Unknown internal paths, in any spelling, are refused like known ones, so that callers cannot find out which exist. */
function accessOfUnknown(url: string): Access {
  const [path = ''] = withoutOrigin(url).split(/[?#]/, 1);
  return decodeURIComponent(path).startsWith(`${API}/internal/`) ? 'internal' : 'public';
}

export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null)
    throw new Error(`${request.routeOptions.url} requires no role, so its requests have no principal.`);
  return request.principal;
}

export function actorOf(request: FastifyRequest): Actor {
  const { owner, user_id } = principalOf(request);
  return {
    name: owner,
    userId: user_id,
    requestId: request.id,
    claim: request.claim,
    requireVersion: preconditionOf(request),
  };
}

export function callerOf(request: FastifyRequest): Caller {
  return { requestId: request.id, address: request.ip };
}

async function authenticate(request: FastifyRequest, authentication: Authentication): Promise<Principal> {
  const key = apiKeyOf(request);
  if (key) return authentication.withApiKey(key, callerOf(request));
  const bearer = bearerOf(request);
  if (bearer && ACCESS_TOKEN.test(bearer)) return authentication.withAccessToken(bearer);
  if (bearer) return authentication.withApiKey(bearer, callerOf(request));
  const token = readSessionCookie(request);
  if (!token) {
    throw new NexusError(
      'E_UNAUTHENTICATED',
      'Sign in, or send an API key in the header X-Nexus-API-Key or as Authorization: Bearer <key>.',
    );
  }
  requireSameOrigin(request);
  return authentication.withSession(token);
}

/** A JWT: three parts, of which the first is base64url JSON. */
const ACCESS_TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

export function apiKeyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['x-nexus-api-key'];
  return typeof key === 'string' && key !== '' ? key : undefined;
}

function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function requireInternal(request: FastifyRequest, policy: InternalPolicy): void {
  const sent = request.headers['x-nexus-internal'];
  const isAllowed = policy.secret
    ? typeof sent === 'string' && isSameSecret(sent, policy.secret)
    : policy.openToLoopback && isDirectFromLoopback(request);
  if (isAllowed) return;
  throw new NexusError(
    'E_INTERNAL_ONLY',
    'This route is for internal callers. Send the secret in the header X-Nexus-Internal.',
  );
}

function isSameSecret(sent: string, secret: string): boolean {
  const a = Buffer.from(sent);
  const b = Buffer.from(secret);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Whether the request comes from this machine. A proxy on it connects from loopback, too, but adds a header. */
function isDirectFromLoopback(request: FastifyRequest): boolean {
  const address = request.socket.remoteAddress ?? '';
  const forwarded =
    request.headers.forwarded ?? request.headers['x-forwarded-for'] ?? request.headers['x-real-ip'];
  return forwarded === undefined && (address === '::1' || /^(::ffff:)?127\./.test(address));
}
