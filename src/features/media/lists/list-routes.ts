import { z } from 'zod';
import { libraryMediaList } from '../../../contract/libraries.ts';
import * as contract from '../../../contract/media.ts';
import { readingAnswer, updateReading } from '../../../contract/reading.ts';
import { id, listQuery } from '../../../contract/wire.ts';
import { principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import type { LibraryList } from './library-list.ts';
import type { MediaLists } from './list.ts';
import type { ReadingProgressService } from './reading-progress.ts';

const tags = ['Media'];

export interface ListRoutes {
  mediaLists: MediaLists;
  libraryList: LibraryList;
  readings: ReadingProgressService;
}

export function registerListRoutes(
  server: HttpServer,
  { mediaLists, libraryList, readings }: ListRoutes,
): void {
  server.get(
    '/media',
    {
      config: { access: 'viewer', feature: 'media' },
      schema: {
        tags,
        summary: 'List media',
        description:
          'Lists everything that the caller can read, or one of their libraries. Newest first by default; unknown values of the ' +
          'sort key come last. `total` counts all pages.',
        querystring: contract.mediaQuery,
        response: { 200: contract.mediaList },
      },
    },
    (request) => mediaLists.list(principalOf(request), request.query),
  );

  server.get(
    '/media/sites',
    {
      config: { access: 'viewer', feature: 'media' },
      schema: {
        tags,
        summary: 'List the sites of media',
        description: 'Lists sites with the number of their media, most frequent first, 200 at most.',
        querystring: contract.sitesQuery,
        response: { 200: contract.siteList },
      },
    },
    async (request) => ({ data: await mediaLists.sites(principalOf(request), request.query.library_id) }),
  );

  server.get(
    '/libraries/:id/media',
    {
      config: { access: 'viewer', feature: 'libraries', errors: ['E_LIBRARY_NOT_FOUND'] },
      schema: {
        tags: ['Libraries'],
        summary: 'List the media of a library',
        description: 'Newest first.',
        params: z.object({ id }),
        querystring: listQuery,
        response: { 200: libraryMediaList },
      },
    },
    async (request) => {
      const { rows, page } = await libraryList(principalOf(request), request.params.id, request.query);
      return { data: rows, page };
    },
  );

  server.put(
    '/media/:id/reading',
    {
      config: { access: 'viewer', feature: 'media', errors: ['E_MEDIA_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Save reading progress',
        description: "Saves the caller's own progress. The last write wins.",
        params: z.object({ id }),
        body: updateReading,
        response: { 200: readingAnswer },
      },
    },
    async (request) => ({
      data: await readings.update(principalOf(request), request.params.id, request.body),
    }),
  );

  server.delete(
    '/media/:id/reading',
    {
      config: { access: 'viewer', feature: 'media', errors: ['E_MEDIA_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Mark a media as unread',
        description: "Deletes the caller's reading progress.",
        params: z.object({ id }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      await readings.forget(principalOf(request), request.params.id);
      return reply.status(204).send(null);
    },
  );
}
