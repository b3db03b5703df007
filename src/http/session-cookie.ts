import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'nexus_session';

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[NAME] || undefined;
}

/** No script reads it, no other site's form sends it, and where there is TLS it never travels without. */
export function setSessionCookie(reply: FastifyReply, token: string, expires: Date): void {
  void reply.setCookie(NAME, token, { ...flags(reply.request), expires });
}

export function clearSessionCookie(reply: FastifyReply): void {
  void reply.clearCookie(NAME, flags(reply.request));
}

function flags(request: FastifyRequest) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: request.protocol === 'https' } as const;
}
