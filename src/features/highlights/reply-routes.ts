import { z } from 'zod';
import * as contract from '../../contract/highlights.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import { data, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import { type Replies, replyVersion } from './replies.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'highlights', tags: ['Highlights'] });

export function registerReplyRoutes(api: HttpServer, replies: Replies): void {
  api.get(
    '/highlights/:id/replies',
    forViewers({
      errors: ['E_HIGHLIGHT_NOT_FOUND'],
      operationId: 'listReplies',
      summary: 'List the replies to a highlight',
      description:
        'Oldest first: those of the caller, and of people who see the highlight in the same library.',
      params: byId,
      querystring: listQuery,
      response: { 200: listOf(contract.reply) },
    }),
    (request) => replies.list(principalOf(request), request.params.id, request.query),
  );

  api.post(
    '/highlights/:id/replies',
    forViewers({
      errors: ['E_HIGHLIGHT_NOT_FOUND', 'E_NOT_FOUND'],
      repeat: readAgain(({ made, principal }) => data(replies.get(principal, String(made.id)))),
      operationId: 'createReply',
      summary: 'Reply to a highlight',
      description: 'Allowed for everybody who sees it. `@username` mentions people who see it too.',
      params: byId,
      body: contract.writeReply,
      response: { 201: answer(contract.reply) },
    }),
    async (request, reply) => {
      const { id: highlightId } = request.params;
      const { body } = request.body;
      const created = await replies.create(principalOf(request), highlightId, body, actorOf(request));
      return sendCreated(reply, `/replies/${created.id}`, created);
    },
  );

  api.get(
    '/replies/:id',
    forViewers({
      errors: ['E_NOT_FOUND'],
      operationId: 'getReply',
      summary: 'Get a reply',
      description: 'Allowed for everybody who sees it.',
      params: byId,
      response: { 200: answer(contract.reply) },
    }),
    (request, reply) => versioned(reply, replies.get(principalOf(request), request.params.id), replyVersion),
  );

  api.patch(
    '/replies/:id',
    forViewers({
      errors: ['E_NOT_FOUND', 'E_FORBIDDEN', 'E_PRECONDITION_FAILED'],
      requestHeaders: ['If-Match'],
      operationId: 'editReply',
      summary: 'Edit a reply',
      description: 'Allowed for its author.',
      params: byId,
      body: contract.writeReply,
      response: { 200: answer(contract.reply) },
    }),
    (request, reply) => {
      const { body } = request.body;
      const edited = replies.edit(principalOf(request), request.params.id, body, actorOf(request));
      return versioned(reply, edited, replyVersion);
    },
  );

  api.delete(
    '/replies/:id',
    forViewers({
      errors: ['E_NOT_FOUND', 'E_FORBIDDEN'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deleteReply',
      summary: 'Delete a reply',
      description: 'Allowed for its author and for the author of the highlight.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await replies.delete(principalOf(request), request.params.id);
      return reply.status(204).send(null);
    },
  );
}
