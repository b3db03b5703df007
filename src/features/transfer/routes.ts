import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '../../contract/export.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { ExportedFile, Exports } from './exports.ts';

const byId = z.object({ id });
const forMembers = routeOptions({ access: 'viewer', feature: 'export', tags: ['Libraries'] });
const forReaders = routeOptions({ access: 'viewer', feature: 'export', tags: ['Media'] });

export function registerExportRoutes(api: HttpServer, exports: Exports): void {
  api.get(
    '/libraries/:id/export',
    forMembers({
      errors: ['E_INVALID_QUERY', 'E_LIBRARY_NOT_FOUND', 'E_MODE_FORBIDDEN'],
      operationId: 'exportLibrary',
      summary: 'Export a library',
      description:
        'Exports everything in it that the caller can read, or what `q` finds, oldest first, with what they keep for themselves and their own ' +
        'highlights: `json` with texts, `html` as bookmarks, `md` as Markdown files, `readwise` and `jsonld` with highlights. ' +
        'Texts are redacted as the mode requires. The export is aborted when the caller loses access.',
      params: byId,
      querystring: contract.libraryExportQuery,
      response: { 200: contract.libraryExport },
      contentTypes: {
        200: ['application/json', 'text/html', 'application/zip', 'text/csv', 'application/ld+json'],
      },
      answerHeaders: ['Content-Disposition'],
    }),
    async (request, reply) =>
      sendExport(
        reply,
        await exports.library(principalOf(request), request.params.id, request.query, actorOf(request)),
      ),
  );

  api.get(
    '/media/:id/export',
    forReaders({
      errors: [
        'E_MEDIA_NOT_FOUND',
        'E_INVALID_STATE',
        'E_MODE_FORBIDDEN',
        'E_GOVERNANCE_BLOCKED',
        'E_TEXT_TOO_COSTLY',
      ],
      operationId: 'exportMedia',
      summary: 'Export a document',
      description: 'Returns Markdown with the metadata before the text.',
      params: byId,
      querystring: contract.mediaExportQuery,
      response: { 200: z.string() },
      contentTypes: { 200: ['text/markdown'] },
      answerHeaders: ['Content-Disposition'],
    }),
    async (request, reply) =>
      sendExport(
        reply,
        await exports.document(principalOf(request), request.params.id, request.query.mode, actorOf(request)),
      ),
  );
}

/** Sends a file as a download, never as a page of this site. */
function sendExport(reply: FastifyReply, { filename, contentType, content }: ExportedFile): FastifyReply {
  const name = encodeURIComponent(filename.replace(/[\\/:*?"<>|\p{Cc}]+/gu, ' ')).replaceAll("'", '%27');
  reply
    .type(contentType)
    .header('cache-control', 'private, no-store')
    .header('content-disposition', `attachment; filename*=UTF-8''${name}`);
  if (reply.request.method !== 'HEAD') return reply.send(content as never);
  // An export of a library has not begun. An empty stream sends no length, which would be another one than GET's.
  if (content instanceof Readable) content.destroy();
  return reply.send(Readable.from([]) as never);
}
