import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '../../contract/media.ts';
import { removeMediaQuery } from '../../contract/trash.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import type { Files, ServedFile } from './files/files.ts';
import { IMAGE_TYPES } from './files/image.ts';
import type { Images } from './files/images.ts';
import type { MediaService } from './media.ts';
import type { Trash } from './trash/trash.ts';

const byId = z.object({ id });
const tags = ['Media'];
const FILE_TYPES = ['application/pdf', 'application/epub+zip'];

export interface MediaRoutesDependencies {
  media: MediaService;
  trash: Trash;
  files: Files;
  images: Images;
}

export function registerMediaRoutes(
  server: HttpServer,
  { media, trash, files, images }: MediaRoutesDependencies,
): void {
  server.post(
    '/media/url',
    {
      config: { access: 'viewer', feature: 'media', errors: ['E_INVALID_KIND', 'E_INVALID_URL'] },
      schema: {
        tags,
        summary: 'Save a page or a video',
        description:
          'Into the default library. What is known already answers 200, and is retried if it had failed.',
        body: contract.saveUrl,
        response: { 200: contract.savedMedia, 201: contract.savedMedia },
      },
    },
    async (request, reply) => {
      const data = await media.saveUrl(principalOf(request), request.body, actorOf(request));
      return reply.status(data.created ? 201 : 200).send({ data });
    },
  );

  server.post(
    '/media/from_url',
    {
      config: { access: 'viewer', feature: 'media', errors: ['E_INVALID_URL'] },
      schema: {
        tags,
        summary: 'Save whatever lies at an address',
        description: 'A video at YouTube, a page, or the PDF that lies where a page was expected.',
        body: contract.saveFromUrl,
        response: { 200: contract.savedMedia, 201: contract.savedMedia },
      },
    },
    async (request, reply) => {
      const data = await media.saveFromUrl(principalOf(request), request.body.url, actorOf(request));
      return reply.status(data.created ? 201 : 200).send({ data });
    },
  );

  server.get(
    '/media/images',
    {
      config: {
        access: 'viewer',
        feature: 'media',
        errors: ['E_INVALID_URL', 'E_SSRF_BLOCKED', 'E_NOT_FOUND', 'E_RATE_LIMITED'],
        produces: { 200: IMAGE_TYPES },
      },
      schema: {
        tags,
        summary: 'An image of a page',
        description: 'Through Nexus, so that no reader’s browser asks a foreign site.',
        querystring: z.object({ url: z.string().min(1).max(10_000) }),
      },
    },
    async (request, reply) => {
      const { contentType, content } = await images.get(principalOf(request), request.query.url);
      return reply
        .type(contentType)
        .header('cache-control', 'private, max-age=31536000, immutable')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(content);
    },
  );

  server.get(
    '/media/:id',
    {
      config: { access: 'viewer', feature: 'media', errors: ['E_MEDIA_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Read a media',
        description: 'What it is, how far it has come, and what can be done with it.',
        params: byId,
        response: { 200: contract.mediaAnswer },
      },
    },
    async (request) => ({ data: await media.get(principalOf(request), request.params.id) }),
  );

  server.get(
    '/media/:id/fragments',
    {
      config: { access: 'viewer', feature: 'media', errors: ['E_MEDIA_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'What is read',
        description: 'An article, chapters, pages, or the passages of a transcript; sanitised, in order.',
        params: byId,
        response: { 200: contract.fragmentList },
      },
    },
    async (request, reply) =>
      sendFragments(reply, await media.fragments(principalOf(request), request.params.id)),
  );

  server.get(
    '/media/:id/attempts',
    {
      config: { access: 'viewer', feature: 'media', errors: ['E_MEDIA_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'What was tried',
        description: 'Attempt by attempt, in plain words.',
        params: byId,
        response: { 200: contract.mediaAttemptList },
      },
    },
    async (request) => ({ data: await media.attempts(principalOf(request), request.params.id) }),
  );

  server.post(
    '/media/:id/retry',
    {
      config: {
        access: 'viewer',
        feature: 'media',
        errors: ['E_FORBIDDEN', 'E_MEDIA_NOT_FOUND', 'E_INVALID_STATE'],
      },
      schema: {
        tags,
        summary: 'Try again',
        description: 'What failed, by who saved it or by an admin of a library that holds it.',
        params: byId,
        response: { 200: contract.retriedMedia },
      },
    },
    async (request) => ({
      data: await media.retry(principalOf(request), request.params.id, actorOf(request)),
    }),
  );

  server.delete(
    '/media/:id',
    {
      config: { access: 'viewer', feature: 'media', errors: ['E_MEDIA_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Remove from the default library',
        description:
          'Into the trash; with permanently=true it is deleted at once. What comes through a library stays.',
        params: byId,
        querystring: removeMediaQuery,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { permanently } = request.query;
      const remove = permanently ? trash.removePermanently : trash.remove;
      await remove(principalOf(request), request.params.id, request.id);
      return reply.status(204).send(null);
    },
  );

  server.get(
    '/media/:id/file',
    {
      config: {
        access: 'viewer',
        feature: 'media',
        errors: ['E_MEDIA_NOT_FOUND', 'E_RANGE_NOT_SATISFIABLE'],
        produces: { 200: FILE_TYPES, 206: FILE_TYPES },
      },
      schema: {
        tags,
        summary: 'The file itself',
        description: 'What was uploaded, or the PDF that was found. Takes Range.',
        params: byId,
      },
    },
    async (request, reply) =>
      sendFile(reply, await files.original(principalOf(request), request.params.id, request.headers.range)),
  );

  server.get(
    '/media/:id/assets/:name',
    {
      config: {
        access: 'viewer',
        feature: 'media',
        errors: ['E_MEDIA_NOT_FOUND'],
        produces: { 200: IMAGE_TYPES },
      },
      schema: {
        tags,
        summary: 'An image of a book',
        params: z.object({ id, name: z.string().min(1).max(200) }),
      },
    },
    async (request, reply) =>
      sendFile(reply, await files.asset(principalOf(request), request.params.id, request.params.name)),
  );
}

/** Never as a document of this site: a file that is opened by itself runs nothing. */
function sendFile(
  reply: FastifyReply,
  { contentType, filename, size, range, content }: ServedFile,
): FastifyReply {
  const name = encodeURIComponent(filename);
  reply
    .type(contentType)
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, no-store')
    .header('content-disposition', `inline; filename*=UTF-8''${name}`)
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('content-length', range ? range.end - range.start + 1 : size);
  if (range) reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  return reply.send(content);
}

/** One fragment after the other: a whole book written at once would hold up other requests. */
function sendFragments(reply: FastifyReply, fragments: contract.MediaFragment[]): FastifyReply {
  const parts = function* () {
    yield '{"data":[';
    for (const [index, fragment] of fragments.entries())
      yield `${index === 0 ? '' : ','}${JSON.stringify(fragment)}`;
    yield ']}';
  };
  return reply
    .type('application/json; charset=utf-8')
    .send(Readable.from(parts(), { objectMode: false }) as never);
}
