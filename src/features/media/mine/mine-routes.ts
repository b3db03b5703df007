import { z } from 'zod';
import * as contract from '../../../contract/mine.ts';
import { answer, id, listOf, listQuery } from '../../../contract/wire.ts';
import { list } from '../../../http/answers.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import { versioned } from '../../../http/conditional.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { routeOptions } from '../../../http/route-options.ts';
import { type MineService, mineVersion } from './mine.ts';
import { type Tags, tagVersion } from './tags.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Tags'] });

export function registerMineRoutes(api: HttpServer, { mine, tags }: { mine: MineService; tags: Tags }): void {
  api.get(
    '/media/:id/mine',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'getMine',
      summary: 'Get what you keep about a media',
      description: "The caller's own tags, title and note, and whether it is a favourite or archived.",
      params: byId,
      response: { 200: answer(contract.mine) },
    }),
    (request, reply) => versioned(reply, mine.get(principalOf(request), request.params.id), mineVersion),
  );

  api.patch(
    '/media/:id/mine',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND', 'E_INVALID_STATE', 'E_PRECONDITION_FAILED'],
      requestHeaders: ['If-Match'],
      operationId: 'editMine',
      summary: 'Edit what you keep about a media',
      description: 'Changes the given fields. `tags` replaces all tags. Nobody else sees any of it.',
      params: byId,
      body: contract.editMine,
      response: { 200: answer(contract.mine) },
    }),
    (request, reply) => {
      const edited = mine.edit(principalOf(request), request.params.id, request.body, actorOf(request));
      return versioned(reply, edited, mineVersion);
    },
  );

  api.get(
    '/media/:id/tags',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'explainTags',
      summary: 'Explain your tags of a media',
      description: "The caller's own tags of it, by name, each with the reason why it is there.",
      params: byId,
      response: { 200: listOf(contract.tagReason) },
    }),
    (request) => list(mine.explainTags(principalOf(request), request.params.id)),
  );

  api.get(
    '/tags',
    forViewers({
      operationId: 'listTags',
      summary: 'List your tags',
      description: 'By name, each with the number of media that have it.',
      querystring: contract.tagsQuery,
      response: { 200: listOf(contract.tag) },
    }),
    (request) => tags.list(principalOf(request), request.query),
  );

  api.get(
    '/tags/tree',
    forViewers({
      operationId: 'listTagLevels',
      summary: 'List the tree of your tags',
      description:
        'Every level of the names of tags, by name, also those that are no tags themselves, with the number of media that have ' +
        'the tag or one below it.',
      querystring: listQuery,
      response: { 200: listOf(contract.tagLevel) },
    }),
    (request) => tags.tree(principalOf(request), request.query),
  );

  api.get(
    '/tags/:id',
    forViewers({
      errors: ['E_NOT_FOUND'],
      operationId: 'getTag',
      summary: 'Get a tag',
      description: "One of the caller's own tags.",
      params: byId,
      response: { 200: answer(contract.tag) },
    }),
    (request, reply) => versioned(reply, tags.get(principalOf(request), request.params.id), tagVersion),
  );

  api.patch(
    '/tags/:id',
    forViewers({
      errors: ['E_NOT_FOUND', 'E_PRECONDITION_FAILED'],
      requestHeaders: ['If-Match'],
      operationId: 'renameTag',
      summary: 'Rename or merge a tag',
      description:
        'Renames it and the tags below it. If another tag has the name, the two are merged, and the answer is that one.',
      params: byId,
      body: contract.renameTag,
      response: { 200: answer(contract.tag) },
    }),
    (request, reply) => {
      const { name } = request.body;
      const renamed = tags.rename(principalOf(request), request.params.id, name, actorOf(request));
      return versioned(reply, renamed, tagVersion);
    },
  );

  api.delete(
    '/tags/:id',
    forViewers({
      errors: ['E_NOT_FOUND'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deleteTag',
      summary: 'Delete a tag',
      description: 'Takes it from all media. The tags below it stay.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await tags.delete(principalOf(request), request.params.id, actorOf(request));
      return reply.status(204).send(null);
    },
  );
}
