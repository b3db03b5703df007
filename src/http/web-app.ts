import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import type { HttpServer } from './http-server.ts';
import { createPagePreloads } from './page-preloads.ts';

export interface WebAppOptions {
  /** The directory of the built web app. */
  directory: string;
  /** The origin that browsers upload files to, when it is not this server. */
  uploadOrigin: string | undefined;
}

/** Allows no inline code, no eval and no other origins, except embedded videos and the upload origin. */
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

/** Serves the web app at /app/. Returns a function that sends its page, which also says that a page is not found. */
export async function registerWebApp(server: HttpServer, { directory, uploadOrigin }: WebAppOptions) {
  const policy = contentSecurityPolicy(uploadOrigin);
  const preloadsOf = createPagePreloads(directory);
  const isBuilt = existsSync(path.join(directory, 'index.html'));
  const files = {
    root: directory,
    serve: false,
    preCompressed: true,
    index: false,
    cacheControl: false,
  } as const;
  if (isBuilt) await server.register(fastifyStatic, files);

  server.get('/', page, async (_request, reply) => reply.redirect('/app/', 302));
  server.get('/app', page, async (_request, reply) => reply.redirect('/app/', 302));
  server.get<{ Params: { '*': string } }>('/app/*', page, async (request, reply) => {
    const name = request.params['*'];
    if (isBuilt && name.includes('.') && name !== 'index.html') return sendAsset(reply, directory, name);
    const preloads = preloadsOf(name);
    return sendPage(preloads ? reply.header('link', preloads) : reply);
  });

  function sendPage(reply: FastifyReply): FastifyReply {
    if (!isBuilt) return sendNotBuilt(reply);
    return reply
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy)
      .sendFile('index.html');
  }
  return sendPage;
}

/** Sends a file of the web app. Files in assets/ have a content hash in their name, so they are cached forever. */
function sendAsset(reply: FastifyReply, directory: string, name: string): FastifyReply {
  const file = path.join(directory, name);
  if (!file.startsWith(directory + path.sep) || name.includes('\0') || !existsSync(file)) {
    throw new NexusError('E_NOT_FOUND', 'The web app has no such file.');
  }
  return reply
    .header('cache-control', name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .sendFile(name);
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .status(404)
    .type('text/plain; charset=utf-8')
    .send('The web app is not built. Run `npm run build`. The API reference is at /docs.\n');
}
