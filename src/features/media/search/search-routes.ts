import * as contract from '../../../contract/search.ts';
import { principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import type { Search } from './search.ts';

export function registerSearchRoutes(server: HttpServer, search: Search): void {
  server.get(
    '/search',
    {
      config: { access: 'viewer', feature: 'search' },
      schema: {
        tags: ['Search'],
        summary: 'Search media',
        description:
          'Searches the title, author and text of everything that the caller can read; best match first.',
        querystring: contract.searchQuery,
        response: { 200: contract.searchAnswer },
      },
    },
    async (request) => {
      const { rows, page } = await search.find(principalOf(request), request.query);
      return { data: rows, page };
    },
  );
}
