import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '../../../contract/media.ts';
import { storageUse } from '../../../contract/storage.ts';
import { answer, id } from '../../../contract/wire.ts';
import { data, sendCreated } from '../../../http/answers.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import { isNotModified, notModified } from '../../../http/conditional.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { REPEAT_SECRET, repeatStored } from '../../../http/repeats.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { Files, ServedFile } from './files.ts';
import { IMAGE_TYPES } from './image.ts';
import type { Images } from './images.ts';
import type { Quota } from './quota.ts';
import type { Uploads } from './uploads.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Media'] });
const forMyself = routeOptions({ access: 'viewer', feature: 'media', tags: ['Identity'] });
const forUploaders = routeOptions({ access: 'public', tags: ['Media'] });
const SVG = 'image/svg+xml';
const IMMUTABLE = 'private, max-age=31536000, immutable';
const FILE_TYPES = ['application/pdf', 'application/epub+zip'];

export function registerFileRoutes(
  api: HttpServer,
  { uploads, files, images, quota }: { uploads: Uploads; files: Files; images: Images; quota: Quota },
): void {
  api.post(
    '/media/upload/init',
    forViewers({
      errors: ['E_INVALID_KIND', 'E_INVALID_CONTENT_TYPE', 'E_FILE_TOO_LARGE', 'E_QUOTA_EXCEEDED'],
      repeat: REPEAT_SECRET,
      operationId: 'beginUpload',
      summary: 'Start an upload',
      description:
        'Takes a PDF or an EPUB. Put the file to upload_url within five minutes, then call ingest.',
      body: contract.beginUpload,
      response: { 201: answer(contract.begunUpload) },
    }),
    async (request, reply) => {
      const upload = await uploads.begin(principalOf(request), request.body, actorOf(request));
      return sendCreated(reply, `/media/${upload.media_id}`, upload);
    },
  );

  api.post(
    '/media/:id/ingest',
    forViewers({
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
      repeat: repeatStored(({ made, principal }) =>
        uploads.requireReadable(principal, String(made.media_id)),
      ),
      operationId: 'finishUpload',
      summary: 'Finish an upload',
      description:
        'Checks the file and enqueues its extraction. Uploading a file twice returns the existing media. ' +
        'With library_id, that library lists it too, in the same transaction; the caller must be an admin or a contributor of it. ' +
        'A repeated call returns the same answer.',
      params: byId,
      body: contract.ingestUpload,
      response: { 200: answer(contract.ingestedUpload) },
    }),
    (request) => {
      const { library_id } = request.body ?? {};
      return data(uploads.ingest(principalOf(request), request.params.id, library_id, actorOf(request)));
    },
  );

  // The only route that takes bytes: its body is a stream, whatever the content type.
  api.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    (scope as HttpServer).put(
      '/media/upload',
      {
        bodyLimit: 200 * 1024 * 1024,
        ...forUploaders({
          errors: ['E_UPLOAD_EXPIRED', 'E_UPLOAD_SPENT', 'E_FILE_TOO_LARGE'],
          operationId: 'uploadFile',
          summary: 'Upload the file',
          description: 'The `upload_url` takes one file and needs no other credential.',
          bodyType: '*/*',
          querystring: z.object({
            token: z.string().min(1).max(2000).describe('The right to upload, from `upload_url`.'),
          }),
          response: { 204: z.null() },
        }),
      },
      async (request, reply) => {
        await uploads.put(request.query.token, request.body as Readable);
        return reply.status(204).send(null);
      },
    );
  });

  api.get(
    '/media/:id/file',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND', 'E_RANGE_NOT_SATISFIABLE'],
      operationId: 'downloadMediaFile',
      summary: 'Download the original file',
      description:
        'Returns the uploaded file, or the PDF that was found at the link. Supports `Range` and `If-Range`.',
      requestHeaders: ['Range', 'If-Range', 'If-None-Match'],
      params: byId,
      contentTypes: { 200: FILE_TYPES, 206: FILE_TYPES },
      answerHeaders: ['Content-Disposition'],
    }),
    async (request, reply) => {
      const { range, 'if-range': ifRange } = request.headers;
      const wanted = {
        range,
        ifRange: typeof ifRange === 'string' ? ifRange : undefined,
        isKnown: (tag: string) => isNotModified(request, tag),
      };
      return sendFile(reply, await files.original(principalOf(request), request.params.id, wanted));
    },
  );

  api.get(
    '/media/:id/assets/:name',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'getMediaAsset',
      summary: 'Get an image of a document',
      description:
        'The HTML of fragments refers to it. An SVG is sanitised and served so that it runs nothing.',
      requestHeaders: ['If-None-Match'],
      params: z.object({
        id,
        name: z.string().min(1).max(200).describe('The name in the HTML of a fragment.'),
      }),
      contentTypes: { 200: [...IMAGE_TYPES, SVG] },
      answerHeaders: ['Content-Disposition'],
    }),
    async (request, reply) =>
      sendFile(reply, await files.asset(principalOf(request), request.params.id, request.params.name)),
  );

  api.get(
    '/media/images',
    forViewers({
      errors: ['E_INVALID_URL', 'E_SSRF_BLOCKED', 'E_NOT_FOUND', 'E_RATE_LIMITED'],
      operationId: 'getPageImage',
      summary: 'Get an image of a page',
      description: 'Served by Nexus, so that no browser sends requests to other sites.',
      querystring: z.object({ url: z.string().min(1).max(10_000).describe('The address of the image.') }),
      contentTypes: { 200: IMAGE_TYPES },
    }),
    async (request, reply) => {
      const { contentType, content } = await images.get(principalOf(request), request.query.url);
      return reply
        .type(contentType)
        .header('cache-control', IMMUTABLE)
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(content);
    },
  );

  api.get(
    '/me/storage',
    forMyself({
      operationId: 'getMyStorage',
      summary: 'Get storage usage and quota',
      description:
        'Counts files, extracted text and images charged to the caller, including items in the trash.',
      response: { 200: answer(storageUse) },
    }),
    (request) => data(quota.use(principalOf(request).user_id)),
  );
}

/** The policy of files. The styles of a drawing are part of it. */
const policyOf = (contentType: string) =>
  contentType === SVG
    ? "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    : "default-src 'none'; sandbox";

/** Sends a file under a policy that runs nothing, should a browser open it as a document of this site. */
function sendFile(reply: FastifyReply, file: ServedFile) {
  const { contentType, filename, tag, size, range, content, isImmutable } = file;
  const name = encodeURIComponent(filename);
  reply
    .type(contentType)
    .header('accept-ranges', 'bytes')
    .header('etag', tag)
    .header('cache-control', isImmutable ? IMMUTABLE : 'private, no-cache')
    .header('content-disposition', `inline; filename*=UTF-8''${name}`)
    .header('content-security-policy', policyOf(contentType))
    .header('content-length', range ? range.end - range.start + 1 : size);
  if (isNotModified(reply.request, tag)) {
    content.destroy();
    return reply.send(notModified(reply));
  }
  if (range) reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  return reply.send(content);
}
