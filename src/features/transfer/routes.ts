import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '../../contract/export.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import type { ExportedFile, Exports } from './exports.ts';

const byId = z.object({ id });

export function registerExportRoutes(server: HttpServer, exports: Exports): void {
  server.get(
    '/libraries/:id/export',
    {
      exposeHeadRoute: false,
      config: {
        access: 'viewer',
        feature: 'export',
        errors: ['E_LIBRARY_NOT_FOUND', 'E_MODE_FORBIDDEN'],
        produces: { 200: ['application/json', 'text/html'] },
      },
      schema: {
        tags: ['Libraries'],
        summary: 'Export a library',
        description:
          'Exports everything in it that the caller can read, oldest first: `json` with texts, or `html`, a bookmark file for ' +
          'other programs. Texts are redacted as the mode requires. The export is aborted when the caller loses access.',
        params: byId,
        querystring: contract.libraryExportQuery,
        response: { 200: contract.libraryExport },
      },
    },
    async (request, reply) =>
      sendExport(
        reply,
        await exports.library(principalOf(request), request.params.id, request.query, actorOf(request)),
      ),
  );

  server.get(
    '/media/:id/export',
    {
      exposeHeadRoute: false,
      config: {
        access: 'viewer',
        feature: 'export',
        errors: [
          'E_MEDIA_NOT_FOUND',
          'E_INVALID_STATE',
          'E_MODE_FORBIDDEN',
          'E_GOVERNANCE_BLOCKED',
          'E_TEXT_TOO_COSTLY',
        ],
        produces: { 200: ['text/markdown'] },
      },
      schema: {
        tags: ['Media'],
        summary: 'Export a document',
        description: 'Returns Markdown with the metadata before the text.',
        params: byId,
        querystring: contract.mediaExportQuery,
        response: { 200: z.string() },
      },
    },
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
  return reply
    .type(contentType)
    .header('cache-control', 'private, no-store')
    .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
    .send(content as never);
}
