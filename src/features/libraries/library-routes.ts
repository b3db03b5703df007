import { z } from 'zod';
import * as contract from '../../contract/libraries.ts';
import { id, listQuery } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Libraries } from './libraries.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Libraries'] });

export function registerLibraryRoutes(server: HttpServer, libraries: Libraries): void {
  server.get(
    '/libraries',
    forViewers({
      summary: 'List libraries',
      description:
        'Lists the libraries that the caller is a member of: the default library first, then the newest.',
      querystring: listQuery,
      response: { 200: contract.libraryList },
    }),
    async (request) => {
      const { rows, page } = await libraries.list(principalOf(request).user_id, request.query);
      return { data: rows, page };
    },
  );

  server.post(
    '/libraries',
    forViewers({
      errors: ['E_NAME_INVALID'],
      summary: 'Create a library',
      description: 'The caller becomes its owner.',
      body: contract.libraryName,
      response: { 201: contract.libraryAnswer },
    }),
    async (request, reply) => {
      const { user_id } = principalOf(request);
      const data = await libraries.create(user_id, request.body.name, actorOf(request));
      return reply.status(201).send({ data });
    },
  );

  server.get(
    '/libraries/:id',
    forViewers({
      errors: ['E_LIBRARY_NOT_FOUND'],
      summary: 'Get a library',
      description: "Includes the caller's role in it.",
      params: byId,
      response: { 200: contract.libraryAnswer },
    }),
    async (request) => ({ data: await libraries.get(principalOf(request).user_id, request.params.id) }),
  );

  server.patch(
    '/libraries/:id',
    forViewers({
      errors: ['E_NAME_INVALID', 'E_FORBIDDEN', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      summary: 'Rename a library',
      description: 'Requires an admin of the library.',
      params: byId,
      body: contract.libraryName,
      response: { 200: contract.libraryAnswer },
    }),
    async (request) => ({
      data: await libraries.rename(
        principalOf(request).user_id,
        request.params.id,
        request.body.name,
        actorOf(request),
      ),
    }),
  );

  server.delete(
    '/libraries/:id',
    forViewers({
      errors: ['E_OWNER_REQUIRED', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      summary: 'Delete a library',
      description:
        "Requires the owner. Its media leave the members' default libraries, unless they saved them.",
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await libraries.delete(principalOf(request).user_id, request.params.id, actorOf(request));
      return reply.status(204).send(null);
    },
  );
}
