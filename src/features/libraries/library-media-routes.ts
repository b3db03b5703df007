import { z } from 'zod';
import * as contract from '../../contract/libraries.ts';
import { id } from '../../contract/wire.ts';
import { principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { LibraryMediaService } from './library-media.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Libraries'] });

export function registerLibraryMediaRoutes(server: HttpServer, libraryMedia: LibraryMediaService): void {
  server.post(
    '/libraries/:id/media',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_MEDIA_NOT_FOUND'],
      summary: 'Add a media to a library',
      description:
        'Requires an admin of the library. Every member can read the media immediately. Adding it again answers 200.',
      params: byId,
      body: contract.addLibraryMedia,
      response: { 200: contract.addedLibraryMedia, 201: contract.addedLibraryMedia },
    }),
    async (request, reply) => {
      const { media_id } = request.body;
      const { created } = await libraryMedia.add(
        principalOf(request),
        request.params.id,
        media_id,
        request.id,
      );
      return reply
        .status(created ? 201 : 200)
        .send({ data: { library_id: request.params.id, media_id, created } });
    },
  );

  server.delete(
    '/libraries/:id/media/:media_id',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_MEDIA_NOT_FOUND'],
      summary: 'Remove a media from a library',
      description:
        'Requires an admin of the library. A media that also comes through a shared library stays in the default library.',
      params: z.object({ id, media_id: id }),
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await libraryMedia.remove(principalOf(request), request.params.id, request.params.media_id, request.id);
      return reply.status(204).send(null);
    },
  );

  server.get(
    '/media/:id/provenance',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      tags: ['Media'],
      summary: 'Explain why the caller can read a media',
      description: 'Returns when the caller saved it, and which of their libraries contain it.',
      params: byId,
      response: { 200: contract.provenanceAnswer },
    }),
    async (request) => ({ data: await libraryMedia.provenance(principalOf(request), request.params.id) }),
  );
}
