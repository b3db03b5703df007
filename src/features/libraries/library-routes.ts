import { z } from 'zod';
import * as contract from '../../contract/libraries.ts';
import { id, listQuery } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Libraries } from './libraries.ts';
import type { LibraryMediaService } from './library-media.ts';

const byId = z.object({ id });
const forViewersOfMedia = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Media'] });
const forViewers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Libraries'] });

export function registerLibraryRoutes(
  server: HttpServer,
  { libraries, libraryMedia }: { libraries: Libraries; libraryMedia: LibraryMediaService },
): void {
  server.get(
    '/libraries',
    forViewers({
      summary: 'List libraries',
      description:
        'Lists the libraries that the caller is a member of: the default library first, then the newest.',
      querystring: listQuery,
      response: { 200: contract.libraryList },
    }),
    (request) => libraries.list(principalOf(request).user_id, request.query),
  );

  server.post(
    '/libraries',
    forViewers({
      errors: ['E_NAME_INVALID'],
      summary: 'Create a library',
      description: 'The caller becomes its owner.',
      body: contract.libraryName,
      response: { 201: contract.libraryAnswer },
    }),
    async (request, reply) => {
      const { user_id } = principalOf(request);
      const data = await libraries.create(user_id, request.body.name, actorOf(request));
      return reply.status(201).send({ data });
    },
  );

  server.get(
    '/libraries/:id',
    forViewers({
      errors: ['E_LIBRARY_NOT_FOUND'],
      summary: 'Get a library',
      description: "Includes the caller's role in it.",
      params: byId,
      response: { 200: contract.libraryAnswer },
    }),
    async (request) => ({ data: await libraries.get(principalOf(request).user_id, request.params.id) }),
  );

  server.patch(
    '/libraries/:id',
    forViewers({
      errors: ['E_NAME_INVALID', 'E_FORBIDDEN', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      summary: 'Rename a library',
      description: 'Requires an admin of the library.',
      params: byId,
      body: contract.libraryName,
      response: { 200: contract.libraryAnswer },
    }),
    async (request) => {
      const { user_id } = principalOf(request);
      return {
        data: await libraries.rename(user_id, request.params.id, request.body.name, actorOf(request)),
      };
    },
  );

  server.delete(
    '/libraries/:id',
    forViewers({
      errors: ['E_OWNER_REQUIRED', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      summary: 'Delete a library',
      description:
        "Requires the owner. Its media leave the members' default libraries, unless they saved them.",
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await libraries.delete(principalOf(request).user_id, request.params.id, actorOf(request));
      return reply.status(204).send(null);
    },
  );

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
      const { id: library_id } = request.params;
      const { media_id } = request.body;
      const { created } = await libraryMedia.add(principalOf(request), library_id, media_id, request.id);
      return reply.status(created ? 201 : 200).send({ data: { library_id, media_id, created } });
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
    forViewersOfMedia({
      errors: ['E_MEDIA_NOT_FOUND'],
      summary: 'Explain why the caller can read a media',
      description: 'Returns when the caller saved it, and which of their libraries contain it.',
      params: byId,
      response: { 200: contract.provenanceAnswer },
    }),
    async (request) => ({ data: await libraryMedia.provenance(principalOf(request), request.params.id) }),
  );
}
