import { z } from 'zod';
import * as contract from '../../contract/libraries.ts';
import { renameTag, tagsQuery } from '../../contract/mine.ts';
import { answer, id, listOf } from '../../contract/wire.ts';
import { data } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import { type LibraryTags, libraryTagsVersion } from './library-tags.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Libraries'] });

export function registerLibraryTagRoutes(api: HttpServer, libraryTags: LibraryTags): void {
  api.get(
    '/libraries/:id/media/:media_id',
    forViewers({
      errors: ['E_LIBRARY_NOT_FOUND', 'E_MEDIA_NOT_FOUND'],
      operationId: 'getMediaOfLibrary',
      summary: 'Get the tags that a library gives a media',
      description: 'Requires a member of the library. `GET /api/v1/media/{id}` returns the media itself.',
      params: z.object({ id, media_id: id }),
      response: { 200: answer(contract.taggedLibraryMedia) },
    }),
    (request, reply) => {
      const { id: libraryId, media_id: mediaId } = request.params;
      return versioned(
        reply,
        libraryTags.get(principalOf(request), { libraryId, mediaId }),
        libraryTagsVersion,
      );
    },
  );

  api.patch(
    '/libraries/:id/media/:media_id',
    forViewers({
      errors: [
        'E_FORBIDDEN',
        'E_DEFAULT_LIBRARY_FORBIDDEN',
        'E_LIBRARY_NOT_FOUND',
        'E_MEDIA_NOT_FOUND',
        'E_PRECONDITION_FAILED',
      ],
      requestHeaders: ['If-Match'],
      operationId: 'editMediaOfLibrary',
      summary: 'Set the tags that a library gives a media',
      description:
        'Requires an admin or a contributor of the library. `tags` replaces all tags. All members see them; the tags that ' +
        'people give a media for themselves are not changed.',
      params: z.object({ id, media_id: id }),
      body: contract.editLibraryMedia,
      response: { 200: answer(contract.taggedLibraryMedia) },
    }),
    (request, reply) => {
      const { id: libraryId, media_id: mediaId } = request.params;
      const edit = { libraryId, mediaId, names: request.body.tags };
      const edited = libraryTags.set(principalOf(request), edit, actorOf(request));
      return versioned(reply, edited, libraryTagsVersion);
    },
  );

  api.get(
    '/libraries/:id/tags',
    forViewers({
      errors: ['E_LIBRARY_NOT_FOUND'],
      operationId: 'listTagsOfLibrary',
      summary: 'List the tags of a library',
      description: 'By name, each with the number of media that have it.',
      params: byId,
      querystring: tagsQuery,
      response: { 200: listOf(contract.libraryTag) },
    }),
    (request) => libraryTags.list(principalOf(request), request.params.id, request.query),
  );

  api.patch(
    '/libraries/:id/tags',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_NOT_FOUND'],
      operationId: 'renameTagOfLibrary',
      summary: 'Rename or merge a tag of a library',
      description:
        'Requires an admin of the library. Renames it and the tags below it on all media of the library. If the library has ' +
        'another tag with the name, the two are merged, and the answer is that one.',
      params: byId,
      querystring: contract.libraryTagQuery,
      body: renameTag,
      response: { 200: answer(contract.libraryTag) },
    }),
    (request) => {
      const change = { libraryId: request.params.id, tag: request.query.tag, name: request.body.name };
      return data(libraryTags.rename(principalOf(request), change, request.id));
    },
  );

  api.delete(
    '/libraries/:id/tags',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_NOT_FOUND'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deleteTagOfLibrary',
      summary: 'Delete a tag of a library',
      description:
        'Requires an admin of the library. Takes the tag from all media of the library. The tags below it stay.',
      params: byId,
      querystring: contract.libraryTagQuery,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      const change = { libraryId: request.params.id, tag: request.query.tag };
      await libraryTags.delete(principalOf(request), change, request.id);
      return reply.status(204).send(null);
    },
  );
}
