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
        summary: 'Begin an upload',
        description: 'Of a PDF or an EPUB. Put the file to upload_url within five minutes, then ingest it.',
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
          'E_INVALID_KIND',
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
        summary: 'End an upload',
        description:
          'Checks the file and queues its extraction. A file that the caller has already answers with that media. ' +
          'Asking again gives the same answer.',
        params: z.object({ id }),
        response: { 200: contract.ingestedUpload },
      },
    },
    async (request) => ({
      data: await uploads.ingest(principalOf(request), request.params.id, actorOf(request)),
    }),
  );

  // The only route that takes bytes: its body is a stream, whatever it is said to be.
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
          summary: 'Put the file',
          description: 'To the upload_url of the upload, which takes one file and needs no other credential.',
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
