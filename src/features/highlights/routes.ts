import { z } from 'zod';
import type { ErrorCode } from '../../contract/errors.ts';
import * as contract from '../../contract/highlights.ts';
import { answer, id, listOf } from '../../contract/wire.ts';
import { data, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import { type Highlights, highlightVersion } from './highlights.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'highlights', tags: ['Highlights'] });
const NOT_FOUND: ErrorCode = 'E_HIGHLIGHT_NOT_FOUND';

export function registerHighlightRoutes(api: HttpServer, highlights: Highlights): void {
  api.get(
    '/media/:id/highlights',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'listMediaHighlights',
      summary: 'List the highlights of a media',
      description:
        "In the order of the text: the caller's own, and those that are shared with a library of which they are a member.",
      params: byId,
      querystring: contract.mediaHighlightsQuery,
      response: { 200: listOf(contract.highlight) },
    }),
    (request) => highlights.ofMedia(principalOf(request), request.params.id, request.query),
  );

  api.post(
    '/media/:id/highlights',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND', 'E_HIGHLIGHT_NOT_FOUND', 'E_INVALID_RANGE', 'E_LIBRARY_NOT_FOUND'],
      repeat: readAgain(({ params, made, principal }) =>
        data(highlights.getOwn(principal, params.id, String(made.id))),
      ),
      operationId: 'createHighlight',
      summary: 'Highlight a passage',
      description:
        'Marks a range of a fragment, with an optional note. The range is named by its position, by its quote, or by both.',
      params: byId,
      body: contract.createHighlight,
      response: { 201: answer(contract.highlight) },
    }),
    async (request, reply) => {
      const { id: mediaId } = request.params;
      const created = await highlights.create(principalOf(request), mediaId, request.body, actorOf(request));
      return sendCreated(reply, `/highlights/${created.id}`, created);
    },
  );

  api.get(
    '/highlights',
    forViewers({
      operationId: 'listHighlights',
      summary: 'List all highlights',
      description: "Newest first: the caller's own of all media, and those that are shared with them.",
      querystring: contract.highlightsQuery,
      response: { 200: listOf(contract.highlight) },
    }),
    (request) => highlights.list(principalOf(request), request.query),
  );

  api.get(
    '/highlights/:id',
    forViewers({
      errors: [NOT_FOUND],
      operationId: 'getHighlight',
      summary: 'Get a highlight',
      description: 'Returns the passage, its place in the text and its note.',
      params: byId,
      response: { 200: answer(contract.highlight) },
    }),
    (request, reply) =>
      versioned(reply, highlights.get(principalOf(request), request.params.id), highlightVersion),
  );

  api.patch(
    '/highlights/:id',
    forViewers({
      errors: [
        NOT_FOUND,
        'E_FORBIDDEN',
        'E_INVALID_RANGE',
        'E_LIBRARY_NOT_FOUND',
        'E_MEDIA_NOT_FOUND',
        'E_PRECONDITION_FAILED',
      ],
      requestHeaders: ['If-Match'],
      operationId: 'editHighlight',
      summary: 'Edit a highlight',
      description: 'Changes its range, colour or note, or who sees it. Allowed for its author.',
      params: byId,
      body: contract.editHighlight,
      response: { 200: answer(contract.highlight) },
    }),
    (request, reply) => {
      const { id: highlightId } = request.params;
      const edited = highlights.edit(principalOf(request), highlightId, request.body, actorOf(request));
      return versioned(reply, edited, highlightVersion);
    },
  );

  api.delete(
    '/highlights/:id',
    forViewers({
      errors: [NOT_FOUND, 'E_FORBIDDEN'],
      goneCode: NOT_FOUND,
      operationId: 'deleteHighlight',
      summary: 'Delete a highlight',
      description: 'Deletes it with its note and replies. Allowed for its author.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await highlights.delete(principalOf(request), request.params.id, actorOf(request));
      return reply.status(204).send(null);
    },
  );

  api.get(
    '/highlights/:id/audience',
    forViewers({
      errors: [NOT_FOUND, 'E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      operationId: 'getHighlightAudience',
      summary: 'Tell who sees a highlight',
      description:
        'Names the people who see it now besides its author. With `library_ids`, its author learns who would see it.',
      params: byId,
      querystring: contract.audienceQuery,
      response: { 200: answer(contract.audience) },
    }),
    (request) => {
      const { library_ids } = request.query;
      return data(highlights.audience(principalOf(request), request.params.id, library_ids));
    },
  );

  api.put(
    '/highlights/:id/seen',
    forViewers({
      errors: [NOT_FOUND],
      operationId: 'markHighlightSeen',
      summary: 'Mark a highlight as seen',
      description: 'The highlight and its replies are no longer unread for the caller.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await highlights.markSeen(principalOf(request), request.params.id);
      return reply.status(204).send(null);
    },
  );
}
