import type { Readable } from 'node:stream';
import { z } from 'zod';
import * as contract from '../../../contract/media.ts';
import { id } from '../../../contract/wire.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import type { Uploads } from './uploads.ts';

const tags = ['Media'];

export function registerUploadRoutes(server: HttpServer, uploads: Uploads): void {
  server.post(
    '/media/upload/init',
    {
      config: {
        access: 'viewer',
        feature: 'media',
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
        access: 'viewer',
        feature: 'media',
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
        params: z.object({ id }),
        body: contract.ingestUpload,
        response: { 200: contract.ingestedUpload },
      },
    },
    async (request) => ({
      data: await uploads.ingest(
        principalOf(request),
        request.params.id,
        request.body ?? {},
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
}
