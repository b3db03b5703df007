import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '../../contract/media.ts';
import { readingAnswer, updateReading } from '../../contract/reading.ts';
import { removeMediaQuery } from '../../contract/trash.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { MediaService } from './media.ts';
import type { Trash } from './trash/trash.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Media'] });

export function registerMediaRoutes(
  server: HttpServer,
  { media, trash }: { media: MediaService; trash: Trash },
): void {
  server.post(
    '/media/url',
    forViewers({
      errors: ['E_INVALID_KIND', 'E_INVALID_URL', 'E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      summary: 'Save a page or a video',
      description:
        'Saves it in the default library. With library_id, that library lists it too, in the same transaction; the ' +
        'caller must be an admin of it. A known link answers 200, and is retried if it had failed.',
      body: contract.saveUrl,
      response: { 200: contract.savedMedia, 201: contract.savedMedia },
    }),
    async (request, reply) => {
      const data = await media.save(principalOf(request), request.body, actorOf(request));
      return reply.status(data.created ? 201 : 200).send({ data });
    },
  );

  server.post(
    '/media/from_url',
    forViewers({
      errors: ['E_INVALID_URL', 'E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      summary: 'Save a link',
      description: 'Like POST /media/url, with the kind inferred: a YouTube video, a page, or a PDF.',
      body: contract.saveFromUrl,
      response: { 200: contract.savedMedia, 201: contract.savedMedia },
    }),
    async (request, reply) => {
      const data = await media.save(principalOf(request), request.body, actorOf(request));
      return reply.status(data.created ? 201 : 200).send({ data });
    },
  );

  server.get(
    '/media/:id',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      summary: 'Get a media',
      description: 'Returns its metadata, its processing status and its capabilities.',
      params: byId,
      response: { 200: contract.mediaAnswer },
    }),
    async (request) => ({ data: await media.get(principalOf(request), request.params.id) }),
  );

  server.get(
    '/media/:id/fragments',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      summary: 'List the fragments of a media',
      description: 'Returns the article, chapters, pages or transcript passages in order, sanitised.',
      params: byId,
      response: { 200: contract.fragmentList },
    }),
    async (request, reply) =>
      sendFragments(reply, await media.fragments(principalOf(request), request.params.id)),
  );

  server.get(
    '/media/:id/attempts',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      summary: 'List the processing attempts of a media',
      description: 'Returns each attempt with a summary for people to read.',
      params: byId,
      response: { 200: contract.mediaAttemptList },
    }),
    async (request) => ({ data: await media.attempts(principalOf(request), request.params.id) }),
  );

  server.post(
    '/media/:id/retry',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_MEDIA_NOT_FOUND', 'E_INVALID_STATE'],
      summary: 'Retry a failed media',
      description: 'Allowed for people who saved it and for admins of a library that contains it.',
      params: byId,
      response: { 200: contract.retriedMedia },
    }),
    async (request) => ({
      data: await media.retry(principalOf(request), request.params.id, actorOf(request)),
    }),
  );

  server.delete(
    '/media/:id',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
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

  server.put(
    '/media/:id/reading',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      summary: 'Save reading progress',
      description: "Saves the caller's own progress. The last write wins.",
      params: byId,
      body: updateReading,
      response: { 200: readingAnswer },
    }),
    async (request) => ({
      data: await media.updateReading(principalOf(request), request.params.id, request.body),
    }),
  );

  server.delete(
    '/media/:id/reading',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
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

/** Streams the fragments one by one, because serialising a whole book at once would block other requests. */
function sendFragments(reply: FastifyReply, fragments: contract.MediaFragment[]): FastifyReply {
  const parts = function* () {
    yield '{"data":[';
    for (const [index, fragment] of fragments.entries())
      yield `${index === 0 ? '' : ','}${JSON.stringify(fragment)}`;
    yield ']}';
  };
  return reply
    .type('application/json; charset=utf-8')
    .send(Readable.from(parts(), { objectMode: false }) as never);
}
