import { z } from 'zod';
import * as contract from '../../contract/libraries.ts';
import { id } from '../../contract/wire.ts';
import { principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import type { LibraryMediaService } from './library-media.ts';

const byId = z.object({ id });
const tags = ['Libraries'];

export function registerLibraryMediaRoutes(server: HttpServer, libraryMedia: LibraryMediaService): void {
  server.post(
    '/libraries/:id/media',
    {
      config: {
        access: 'viewer',
        feature: 'libraries',
        errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_MEDIA_NOT_FOUND'],
      },
      schema: {
        tags,
        summary: 'Add a media to a library',
        description:
          'By its admins; one that is in it already answers 200. Every member can read it at once.',
        params: byId,
        body: contract.addLibraryMedia,
        response: { 200: contract.addedLibraryMedia, 201: contract.addedLibraryMedia },
      },
    },
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
    {
      config: {
        access: 'viewer',
        feature: 'libraries',
        errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_MEDIA_NOT_FOUND'],
      },
      schema: {
        tags,
        summary: 'Remove a media from a library',
        description:
          'By its admins. From a default library, what its owner saved goes and what comes through a library stays.',
        params: z.object({ id, media_id: id }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      await libraryMedia.remove(principalOf(request), request.params.id, request.params.media_id, request.id);
      return reply.status(204).send(null);
    },
  );

  server.get(
    '/media/:id/provenance',
    {
      config: { access: 'viewer', feature: 'libraries', errors: ['E_MEDIA_NOT_FOUND'] },
      schema: {
        tags: ['Media'],
        summary: 'Why do I see this?',
        description: 'When the caller saved it, and through which of their libraries it comes.',
        params: byId,
        response: { 200: contract.provenanceAnswer },
      },
    },
    async (request) => ({ data: await libraryMedia.provenance(principalOf(request), request.params.id) }),
  );
}
