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
          'Everything that the caller may read, or one library of theirs. What was added last comes first, unless it is ' +
          'sorted otherwise; what is not known comes last. `total` counts all pages.',
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
        summary: 'Sites',
        description: 'Where the media come from, the most frequent first, 200 at most.',
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
        summary: "A library's media",
        description: 'What was added last comes first.',
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
        summary: 'Remember how far I have read',
        description: 'For the caller alone. A later write wins.',
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
        summary: 'Mark as unread',
        description: 'Forgets how far the caller has read. What is unread stays so.',
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
