import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ErrorCode } from '../../contract/errors.ts';
import * as contract from '../../contract/media.ts';
import { readingProgress, updateReading } from '../../contract/reading.ts';
import { removeMediaQuery } from '../../contract/trash.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import { data, list, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { unlessKnown, versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { repeatStored } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import { type MediaService, mediaVersion } from './media.ts';
import type { Trash } from './trash/trash.ts';

const byId = z.object({ id });
const LARGEST_INDEX = 2_147_483_647;
const byFragment = byId.extend({
  idx: z.coerce.number().int().min(0).max(LARGEST_INDEX).describe('The index of the fragment, from 0.'),
});
type SaveRequest = z.output<typeof contract.saveMedia>;
const SAVE_ERRORS: ErrorCode[] = ['E_INVALID_KIND', 'E_INVALID_URL', 'E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'];
const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Media'] });

export function registerMediaRoutes(
  api: HttpServer,
  { media, trash }: { media: MediaService; trash: Trash },
): void {
  const savedAnswer = { 200: answer(contract.savedMedia), 201: answer(contract.savedMedia) };
  const save = async (request: FastifyRequest<{ Body: SaveRequest }>, reply: FastifyReply) => {
    const saved = await media.save(principalOf(request), request.body, actorOf(request));
    if (saved.created) return sendCreated(reply, `/media/${saved.media_id}`, saved);
    return reply.send({ data: saved });
  };

  const repeatSaved = repeatStored<unknown, SaveRequest>(async ({ body, principal }) =>
    media.requireLibrary(principal, body.library_id),
  );

  api.post(
    '/media',
    forViewers({
      errors: SAVE_ERRORS,
      repeat: repeatSaved,
      operationId: 'saveMedia',
      summary: 'Save a link',
      description:
        'Saves a page, a video or a PDF in the default library. With `library_id`, that library lists it too, in the same ' +
        'transaction; the caller must be an admin or a contributor of it. A known link answers 200, and is retried if it had failed.',
      body: contract.saveMedia,
      response: savedAnswer,
    }),
    save,
  );

  api.post(
    '/media/url',
    forViewers({
      errors: SAVE_ERRORS,
      repeat: repeatSaved,
      operationId: 'saveMediaOfKind',
      summary: 'Save a page or a video',
      description: 'Like `POST /api/v1/media`, with a kind.',
      deprecated: true,
      body: contract.saveUrl,
      response: savedAnswer,
    }),
    save,
  );

  api.post(
    '/media/from_url',
    forViewers({
      errors: SAVE_ERRORS.filter((code) => code !== 'E_INVALID_KIND'),
      repeat: repeatSaved,
      operationId: 'saveMediaFromUrl',
      summary: 'Save a link of any kind',
      description: 'Like `POST /api/v1/media`, without a kind.',
      deprecated: true,
      body: contract.saveFromUrl,
      response: savedAnswer,
    }),
    save,
  );

  api.get(
    '/media/:id',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'getMedia',
      summary: 'Get a media',
      description: 'Returns its metadata, its processing status and its capabilities.',
      params: byId,
      response: { 200: answer(contract.mediaWithOutline) },
    }),
    (request, reply) => versioned(reply, media.get(principalOf(request), request.params.id), mediaVersion),
  );

  api.patch(
    '/media/:id',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_MEDIA_NOT_FOUND', 'E_PRECONDITION_FAILED'],
      requestHeaders: ['If-Match'],
      operationId: 'editMedia',
      summary: 'Edit the title of a media',
      description:
        'Allowed for the person who uploaded the file. Everybody who can read it gets the new title, and processing it again ' +
        'does not change it back.',
      params: byId,
      body: contract.editMedia,
      response: { 200: answer(contract.mediaWithOutline) },
    }),
    (request, reply) => {
      const { title } = request.body;
      const edited = media.editTitle(principalOf(request), request.params.id, title, actorOf(request));
      return versioned(reply, edited, mediaVersion);
    },
  );

  api.get(
    '/media/:id/fragments',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'listFragments',
      summary: 'List the fragments of a media',
      description:
        'Returns the article, chapters, pages or transcript passages in order, sanitised. A page ends when it has half a ' +
        'million characters of text.',
      params: byId,
      querystring: listQuery,
      response: { 200: listOf(contract.fragment) },
    }),
    (request) => media.fragments(principalOf(request), request.params.id, request.query),
  );

  api.get(
    '/media/:id/fragments/index',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'getFragmentIndex',
      summary: 'List the fragments of a media without their text',
      description: 'Returns titles, lengths and offsets of all chapters, pages or passages.',
      params: byId,
      response: { 200: listOf(contract.fragmentEntry) },
    }),
    (request) => list(media.fragmentIndex(principalOf(request), request.params.id)),
  );

  api.get(
    '/media/:id/fragments/:idx',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND', 'E_NOT_FOUND'],
      operationId: 'getFragment',
      summary: 'Get a fragment of a media',
      description:
        'Returns one chapter, page or passage by its index, with the layout of a page or of vertical text.',
      params: byFragment,
      response: { 200: answer(contract.laidOutFragment) },
    }),
    (request, reply) => {
      const viewer = principalOf(request);
      const { id: mediaId, idx } = request.params;
      return unlessKnown(reply, {
        readState: () => media.fragmentState(viewer, mediaId, idx),
        read: () => media.fragment(viewer, mediaId, idx),
      });
    },
  );

  api.get(
    '/media/:id/attempts',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'listMediaAttempts',
      summary: 'List the processing attempts of a media',
      description: 'Returns each attempt with a summary for people to read.',
      params: byId,
      response: { 200: listOf(contract.mediaAttempt) },
    }),
    (request) => list(media.attempts(principalOf(request), request.params.id)),
  );

  api.post(
    '/media/:id/retry',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_MEDIA_NOT_FOUND', 'E_INVALID_STATE'],
      repeat: repeatStored(({ params, principal }) => media.get(principal, params.id)),
      operationId: 'retryMedia',
      summary: 'Retry a failed media',
      description:
        'Allowed for people who saved it, for admins of a library that contains it, and for contributors who added it to one.',
      params: byId,
      response: { 200: answer(contract.retriedMedia) },
    }),
    (request) => data(media.retry(principalOf(request), request.params.id, actorOf(request))),
  );

  api.delete(
    '/media/:id',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      goneCode: 'E_MEDIA_NOT_FOUND',
      operationId: 'removeMedia',
      summary: 'Remove a media from the default library',
      description:
        'Moves it to the trash; with permanently=true it is deleted at once. A media that also comes through a shared ' +
        'library stays listed.',
      params: byId,
      querystring: removeMediaQuery,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      const { permanently } = request.query;
      const remove = permanently ? trash.removePermanently : trash.remove;
      await remove(principalOf(request), request.params.id, request.id);
      return reply.status(204).send(null);
    },
  );

  api.put(
    '/media/:id/reading',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'updateReadingProgress',
      summary: 'Save reading progress',
      description: "Saves the caller's own progress. The last write wins.",
      params: byId,
      body: updateReading,
      response: { 200: answer(readingProgress) },
    }),
    (request) => data(media.updateReading(principalOf(request), request.params.id, request.body)),
  );

  api.delete(
    '/media/:id/reading',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'deleteReadingProgress',
      summary: 'Mark a media as unread',
      description: "Deletes the caller's reading progress.",
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await media.forgetReading(principalOf(request), request.params.id);
      return reply.status(204).send(null);
    },
  );
}
