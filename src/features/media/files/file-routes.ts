import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '../../../contract/media.ts';
import { storageUseAnswer } from '../../../contract/storage.ts';
import { id } from '../../../contract/wire.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import type { Files, ServedFile } from './files.ts';
import { IMAGE_TYPES } from './image.ts';
import type { Images } from './images.ts';
import type { Quota } from './quota.ts';
import type { Uploads } from './uploads.ts';

const byId = z.object({ id });
const tags = ['Media'];
const VIEWER = { access: 'viewer', feature: 'media' } as const;
const FILE_TYPES = ['application/pdf', 'application/epub+zip'];

export function registerFileRoutes(
  server: HttpServer,
  { uploads, files, images, quota }: { uploads: Uploads; files: Files; images: Images; quota: Quota },
): void {
  server.post(
    '/media/upload/init',
    {
      config: {
        ...VIEWER,
        errors: ['E_INVALID_KIND', 'E_INVALID_CONTENT_TYPE', 'E_FILE_TOO_LARGE', 'E_QUOTA_EXCEEDED'],
      },
      schema: {
        tags,
        summary: 'Start an upload',
        description:
          'Takes a PDF or an EPUB. Put the file to upload_url within five minutes, then call ingest.',
        body: contract.beginUpload,
        response: { 201: contract.begunUpload },
      },
    },
    async (request, reply) =>
      reply.status(201).send({ data: await uploads.begin(principalOf(request), request.body) }),
  );

  server.post(
    '/media/:id/ingest',
    {
      config: {
        ...VIEWER,
        errors: [
          'E_FORBIDDEN',
          'E_LIBRARY_NOT_FOUND',
          'E_MEDIA_NOT_FOUND',
          'E_STORAGE_MISSING',
          'E_INVALID_FILE_TYPE',
          'E_INVALID_KIND',
          'E_FILE_TOO_LARGE',
          'E_UPLOAD_EXPIRED',
          'E_QUOTA_EXCEEDED',
        ],
      },
      schema: {
        tags,
        summary: 'Finish an upload',
        description:
          'Checks the file and enqueues its extraction. Uploading a file twice returns the existing media. ' +
          'With library_id, that library lists it too, in the same transaction; the caller must be an admin of it. ' +
          'A repeated call returns the same answer.',
        params: byId,
        body: contract.ingestUpload,
        response: { 200: contract.ingestedUpload },
      },
    },
    async (request) => ({
      data: await uploads.ingest(
        principalOf(request),
        request.params.id,
        request.body?.library_id,
        actorOf(request),
      ),
    }),
  );

  // The only route that takes bytes: its body is a stream, whatever the content type.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    (scope as HttpServer).put(
      '/media/upload',
      {
        config: {
          access: 'public',
          errors: ['E_UPLOAD_EXPIRED', 'E_UPLOAD_SPENT', 'E_FILE_TOO_LARGE'],
          consumes: '*/*',
        },
        bodyLimit: 200 * 1024 * 1024,
        schema: {
          tags,
          summary: 'Upload the file',
          description: 'The upload_url takes one file and needs no other credential.',
          querystring: z.object({ token: z.string().min(1).max(2000) }),
          response: { 204: z.null() },
        },
      },
      async (request, reply) => {
        await uploads.put(request.query.token, request.body as Readable);
        return reply.status(204).send(null);
      },
    );
  });

  server.get(
    '/media/:id/file',
    {
      config: {
        ...VIEWER,
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
      config: { ...VIEWER, errors: ['E_MEDIA_NOT_FOUND'], produces: { 200: IMAGE_TYPES } },
      schema: {
        tags,
        summary: 'Get an image of a book',
        params: z.object({ id, name: z.string().min(1).max(200) }),
      },
    },
    async (request, reply) =>
      sendFile(reply, await files.asset(principalOf(request), request.params.id, request.params.name)),
  );

  server.get(
    '/media/images',
    {
      config: {
        ...VIEWER,
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
    '/me/storage',
    {
      config: VIEWER,
      schema: {
        tags: ['Identity'],
        summary: 'Get storage usage and quota',
        description:
          'Counts files, extracted text and images charged to the caller, including items in the trash.',
        response: { 200: storageUseAnswer },
      },
    },
    async (request) => ({ data: await quota.use(principalOf(request).user_id) }),
  );
}

/** Sends a file under a policy that runs nothing, should a browser open it as a document of this site. */
function sendFile(reply: FastifyReply, { contentType, filename, size, range, content }: ServedFile) {
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
