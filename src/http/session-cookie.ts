import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether people reach Nexus over https, whatever a request over a proxy looks like. */
    isServedOverHttps: boolean;
  }
}

export function registerSessionCookie(server: FastifyInstance, isServedOverHttps: boolean): void {
  server.decorate('isServedOverHttps', isServedOverHttps);
}

/**
 * Browsers take a `__Host-` cookie only from this very host and over TLS, so no neighbouring site can plant one. Over plain
 * http there is no such cookie, and the name without the prefix counts only there.
 */
export function sessionCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-nexus_session' : 'nexus_session';
}

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[sessionCookieName(isSecure(request))] || undefined;
}

/** No script reads it, no other site's form sends it, and where there is TLS it never travels without. */
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
