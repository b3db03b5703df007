import { z } from 'zod';
import { libraryMediaList } from '../../../contract/libraries.ts';
import * as contract from '../../../contract/media.ts';
import { searchAnswer, searchQuery } from '../../../contract/search.ts';
import { id, listQuery } from '../../../contract/wire.ts';
import { principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import type { Search } from '../search/search.ts';
import type { MediaLists } from './list.ts';

const tags = ['Media'];

export function registerListRoutes(
  server: HttpServer,
  { mediaLists, search }: { mediaLists: MediaLists; search: Search },
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
      const { rows, page } = await mediaLists.ofLibrary(
        principalOf(request),
        request.params.id,
        request.query,
      );
      return { data: rows, page };
    },
  );

  server.get(
    '/search',
    {
      config: { access: 'viewer', feature: 'search' },
      schema: {
        tags: ['Search'],
        summary: 'Search media',
        description:
          'Searches the title, author and text of everything that the caller can read; best match first.',
        querystring: searchQuery,
        response: { 200: searchAnswer },
      },
    },
    async (request) => {
      const { rows, page } = await search.find(principalOf(request), request.query);
      return { data: rows, page };
    },
  );
}
