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
      config: {
        access: 'viewer',
        feature: 'media',
        errors: ['E_INVALID_KIND', 'E_INVALID_URL', 'E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      },
      schema: {
        tags,
        summary: 'Save a page or a video',
        description:
          'Saves it in the default library. With library_id, that library lists it too, in the same transaction; the ' +
          'caller must be an admin of it. A known link answers 200, and is retried if it had failed.',
        body: contract.saveUrl,
        response: { 200: contract.savedMedia, 201: contract.savedMedia },
      },
    },
    async (request, reply) => {
      const data = await media.save(principalOf(request), request.body, actorOf(request));
      return reply.status(data.created ? 201 : 200).send({ data });
    },
  );

  server.post(
    '/media/from_url',
    {
      config: {
        access: 'viewer',
        feature: 'media',
        errors: ['E_INVALID_URL', 'E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      },
      schema: {
        tags,
        summary: 'Save a link',
        description: 'Like POST /media/url, with the kind inferred: a YouTube video, a page, or a PDF.',
        body: contract.saveFromUrl,
        response: { 200: contract.savedMedia, 201: contract.savedMedia },
      },
    },
    async (request, reply) => {
      const data = await media.save(principalOf(request), request.body, actorOf(request));
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
        summary: 'Get an image of a page',
        description: 'Served by Nexus, so that no browser sends requests to other sites.',
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
        summary: 'Get a media',
        description: 'Returns its metadata, its processing status and its capabilities.',
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
        summary: 'List the fragments of a media',
        description: 'Returns the article, chapters, pages or transcript passages in order, sanitised.',
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
        summary: 'List the processing attempts of a media',
        description: 'Returns each attempt with a summary for people to read.',
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
        summary: 'Retry a failed media',
        description: 'Allowed for people who saved it and for admins of a library that contains it.',
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
        summary: 'Remove a media from the default library',
        description:
          'Moves it to the trash; with permanently=true it is deleted at once. A media that also comes through a shared ' +
          'library stays listed.',
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
        summary: 'Download the original file',
        description: 'Returns the uploaded file, or the PDF that was found at the link. Supports Range.',
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
        summary: 'Get an image of a book',
        params: z.object({ id, name: z.string().min(1).max(200) }),
      },
    },
    async (request, reply) =>
      sendFile(reply, await files.asset(principalOf(request), request.params.id, request.params.name)),
  );
}

/** Sends a file under a policy that runs nothing, should a browser open it as a document of this site. */
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

/** Streams the fragments one by one, because serialising a whole book at once would block other requests. */
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
