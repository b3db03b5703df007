import { z } from 'zod';
import * as contract from '../../../contract/trash.ts';
import { id, listOf, listQuery } from '../../../contract/wire.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { repeatStored } from '../../../http/repeats.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { Trash } from './trash.ts';

const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Trash'] });
const byMediaId = z.object({ media_id: id });

export function registerTrashRoutes(api: HttpServer, trash: Trash): void {
  api.get(
    '/trash',
    forViewers({
      operationId: 'listTrash',
      summary: 'List the trash',
      description:
        'Lists what the caller removed, most recent first, and when each item is deleted permanently.',
      querystring: listQuery,
      response: { 200: listOf(contract.trashedMedia) },
    }),
    (request) => trash.list(principalOf(request), request.query),
  );

  api.post(
    '/trash/:media_id/restore',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      repeat: repeatStored(),
      operationId: 'restoreFromTrash',
      summary: 'Restore a media from the trash',
      description:
        "Adds it again to the caller's default library, or to the shared library it was removed from.",
      params: byMediaId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await trash.restore(principalOf(request), request.params.media_id, actorOf(request));
      return reply.status(204).send(null);
    },
  );

  api.delete(
    '/trash/:media_id',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      goneCode: 'E_MEDIA_NOT_FOUND',
      operationId: 'deleteFromTrash',
      summary: 'Delete a media permanently',
      description:
        'Deletes it with its files and everything made from it. A media that others have stays theirs.',
      params: byMediaId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await trash.delete(principalOf(request), request.params.media_id);
      return reply.status(204).send(null);
    },
  );

  api.delete(
    '/trash',
    forViewers({
      operationId: 'emptyTrash',
      summary: 'Empty the trash',
      description: 'Deletes everything in it permanently.',
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await trash.deleteAll(principalOf(request));
      return reply.status(204).send(null);
    },
  );
}
