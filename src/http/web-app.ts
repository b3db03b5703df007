import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { NexusError } from '../contract/errors.ts';
import type { HttpServer } from './http-server.ts';

export interface WebAppOptions {
  /** Where the web app was built to. */
  directory: string;
  /** Where browsers upload to when it is not Nexus. */
  uploadOrigin: string | undefined;
}

/** Nothing inline, nothing evaluated, nothing from or to elsewhere but a video that somebody plays and a file they upload. */
function contentSecurityPolicy(uploadOrigin: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    ["connect-src 'self'", uploadOrigin].filter(Boolean).join(' '),
    "worker-src 'self' blob:",
    "media-src 'self'",
    'frame-src https://www.youtube-nocookie.com',
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const page = { config: { access: 'public' as const }, schema: { hide: true } };

/** The web app at /app/. */
export async function registerWebApp(
  server: HttpServer,
  { directory, uploadOrigin }: WebAppOptions,
): Promise<void> {
  const policy = contentSecurityPolicy(uploadOrigin);
  const isBuilt = existsSync(path.join(directory, 'index.html'));
  if (isBuilt) {
    await server.register(fastifyStatic, {
      root: directory,
      serve: false,
      preCompressed: true,
      index: false,
      cacheControl: false,
    });
  }

  server.get(
    '/',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Reference'],
        summary: 'Home',
        description: 'Leads to the web app.',
        response: { 302: z.null() },
      },
    },
    async (_request, reply) => reply.redirect('/app/', 302),
  );
  server.get('/app', page, async (_request, reply) => reply.redirect('/app/', 302));
  server.get<{ Params: { '*': string } }>('/app/*', page, async (request, reply) => {
    const name = request.params['*'];
    if (!isBuilt) return sayThatItIsMissing(reply);
    if (name.includes('.') && name !== 'index.html') return sendAsset(reply, directory, name);
    return reply
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy)
      .sendFile('index.html');
  });
}

/** What vite puts below assets/ has its content's hash in its name, and never changes. */
function sendAsset(reply: FastifyReply, directory: string, name: string): FastifyReply {
  const file = path.join(directory, name);
  if (!file.startsWith(directory + path.sep) || name.includes('\0') || !existsSync(file)) {
    throw new NexusError('E_NOT_FOUND', 'There is no such file in the web app.');
  }
  return reply
    .header('cache-control', name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .sendFile(name);
}

function sayThatItIsMissing(reply: FastifyReply): FastifyReply {
  return reply
    .status(404)
    .type('text/plain; charset=utf-8')
    .send('This Nexus was built without its web app. Run `npm run build`; the API is described at /docs.\n');
}
