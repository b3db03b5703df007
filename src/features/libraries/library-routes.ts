import { z } from 'zod';
import * as contract from '../../contract/libraries.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import { data, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { readAgain, repeatStored } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import { type Libraries, libraryVersion } from './libraries.ts';
import type { LibraryMediaService } from './library-media.ts';

const byId = z.object({ id });
const forViewersOfMedia = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Media'] });
const forViewers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Libraries'] });

export function registerLibraryRoutes(
  api: HttpServer,
  { libraries, libraryMedia }: { libraries: Libraries; libraryMedia: LibraryMediaService },
): void {
  api.get(
    '/libraries',
    forViewers({
      operationId: 'listLibraries',
      summary: 'List libraries',
      description:
        'Lists the libraries that the caller is a member of: the default library first, then the newest.',
      querystring: listQuery,
      response: { 200: listOf(contract.library) },
    }),
    (request) => libraries.list(principalOf(request).user_id, request.query),
  );

  api.post(
    '/libraries',
    forViewers({
      errors: ['E_NAME_INVALID', 'E_LIBRARY_NOT_FOUND'],
      repeat: readAgain(({ made, principal }) => data(libraries.get(principal.user_id, String(made.id)))),
      operationId: 'createLibrary',
      summary: 'Create a library',
      description: 'The caller becomes its owner.',
      body: contract.libraryName,
      response: { 201: answer(contract.library) },
    }),
    async (request, reply) => {
      const { user_id } = principalOf(request);
      const library = await libraries.create(user_id, request.body.name, actorOf(request));
      return sendCreated(reply, `/libraries/${library.id}`, library);
    },
  );

  api.get(
    '/libraries/:id',
    forViewers({
      errors: ['E_LIBRARY_NOT_FOUND'],
      operationId: 'getLibrary',
      summary: 'Get a library',
      description: "Includes the caller's role in it.",
      params: byId,
      response: { 200: answer(contract.library) },
    }),
    (request, reply) =>
      versioned(reply, libraries.get(principalOf(request).user_id, request.params.id), libraryVersion),
  );

  api.patch(
    '/libraries/:id',
    forViewers({
      errors: [
        'E_NAME_INVALID',
        'E_FORBIDDEN',
        'E_DEFAULT_LIBRARY_FORBIDDEN',
        'E_LIBRARY_NOT_FOUND',
        'E_PRECONDITION_FAILED',
      ],
      requestHeaders: ['If-Match'],
      operationId: 'renameLibrary',
      summary: 'Rename a library',
      description: 'Requires an admin of the library.',
      params: byId,
      body: contract.libraryName,
      response: { 200: answer(contract.library) },
    }),
    (request, reply) => {
      const { user_id } = principalOf(request);
      const renamed = libraries.rename(user_id, request.params.id, request.body.name, actorOf(request));
      return versioned(reply, renamed, libraryVersion);
    },
  );

  api.delete(
    '/libraries/:id',
    forViewers({
      errors: ['E_OWNER_REQUIRED', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      goneCode: 'E_LIBRARY_NOT_FOUND',
      operationId: 'deleteLibrary',
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

  api.post(
    '/libraries/:id/media',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_MEDIA_NOT_FOUND'],
      repeat: repeatStored(async ({ params, principal }) => libraries.get(principal.user_id, params.id)),
      operationId: 'addMediaToLibrary',
      summary: 'Add a media to a library',
      description:
        'Requires an admin or a contributor of the library. Every member can read the media immediately. Adding it again answers 200.',
      params: byId,
      body: contract.addLibraryMedia,
      response: { 200: answer(contract.addedLibraryMedia), 201: answer(contract.addedLibraryMedia) },
    }),
    async (request, reply) => {
      const { id: library_id } = request.params;
      const { media_id } = request.body;
      const { created } = await libraryMedia.add(
        principalOf(request),
        library_id,
        media_id,
        actorOf(request),
      );
      const added = { library_id, media_id, created };
      if (created) return sendCreated(reply, `/libraries/${library_id}/media/${media_id}`, added);
      return reply.send({ data: added });
    },
  );

  api.delete(
    '/libraries/:id/media/:media_id',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_MEDIA_NOT_FOUND'],
      goneCode: 'E_MEDIA_NOT_FOUND',
      operationId: 'removeMediaFromLibrary',
      summary: 'Remove a media from a library',
      description:
        'Requires an admin of the library, or a contributor who added the media. A media that also comes through a shared ' +
        'library stays in the default library.',
      params: z.object({ id, media_id: id }),
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await libraryMedia.remove(principalOf(request), request.params.id, request.params.media_id, request.id);
      return reply.status(204).send(null);
    },
  );

  api.get(
    '/media/:id/provenance',
    forViewersOfMedia({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'getMediaProvenance',
      summary: 'Explain why the caller can read a media',
      description: 'Returns when the caller saved it, and which of their libraries contain it.',
      params: byId,
      response: { 200: answer(contract.provenance) },
    }),
    (request) => data(libraryMedia.provenance(principalOf(request), request.params.id)),
  );
}
