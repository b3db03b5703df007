import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether clients use https, also when a proxy forwards their requests over http. */
    isServedOverHttps: boolean;
  }
}

export function registerSessionCookie(server: FastifyInstance, isServedOverHttps: boolean): void {
  server.decorate('isServedOverHttps', isServedOverHttps);
}

/**
 * Returns the name of the session cookie. Browsers accept a `__Host-` cookie only over TLS and from the exact host, so a
 * sibling subdomain cannot set it. Plain http does not allow the prefix; only there the name without it is accepted.
 */
export function sessionCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-nexus_session' : 'nexus_session';
}

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[sessionCookieName(isSecure(request))] || undefined;
}

/** Sets the session cookie. Scripts cannot read it, other sites' forms do not send it, and under TLS it stays on TLS. */
export function setSessionCookie(reply: FastifyReply, token: string, expires: Date): void {
  const { name, flags } = cookieOf(reply.request);
  void reply.setCookie(name, token, { ...flags, expires });
}

export function clearSessionCookie(reply: FastifyReply): void {
  const { name, flags } = cookieOf(reply.request);
  void reply.clearCookie(name, flags);
}

function cookieOf(request: FastifyRequest) {
  const secure = isSecure(request);
  return {
    name: sessionCookieName(secure),
    flags: { path: '/', httpOnly: true, sameSite: 'lax', secure } as const,
  };
}

function isSecure({ server, protocol }: FastifyRequest): boolean {
  return server.isServedOverHttps || protocol === 'https';
}
