import { z } from 'zod';
import type { ErrorCode } from '../../../contract/errors.ts';
import * as contract from '../../../contract/libraries.ts';
import { answer, id, listOf, listQuery, page } from '../../../contract/wire.ts';
import { data } from '../../../http/answers.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import { versioned } from '../../../http/conditional.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { readAgain } from '../../../http/repeats.ts';
import { routeOptions } from '../../../http/route-options.ts';
import { type Members, memberVersion } from './members.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Members'] });
/** The errors of every route that changes a member, or previews a change. */
const FORBIDDEN: ErrorCode[] = ['E_FORBIDDEN', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_OWNER_EXIT_FORBIDDEN'];
const byMember = z.object({ id, user_id: id });

export function registerMemberRoutes(api: HttpServer, members: Members): void {
  api.get(
    '/libraries/:id/members',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      operationId: 'listMembers',
      summary: 'List the members of a library',
      description:
        'Requires an admin of the library. The owner first, then admins, contributors and the others, each by age.',
      params: byId,
      querystring: listQuery,
      response: { 200: listOf(contract.member) },
    }),
    (request) => members.list(principalOf(request).user_id, request.params.id, request.query),
  );

  api.get(
    '/libraries/:id/members/:user_id',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND', 'E_NOT_FOUND'],
      operationId: 'getMember',
      summary: 'Get a member of a library',
      description: 'Requires an admin of the library.',
      params: byMember,
      response: { 200: answer(contract.member) },
    }),
    (request, reply) => {
      const { id: libraryId, user_id: memberId } = request.params;
      return versioned(reply, members.get(principalOf(request).user_id, libraryId, memberId), memberVersion);
    },
  );

  api.patch(
    '/libraries/:id/members/:user_id',
    forViewers({
      errors: [
        ...FORBIDDEN,
        'E_LAST_ADMIN_FORBIDDEN',
        'E_LIBRARY_NOT_FOUND',
        'E_NOT_FOUND',
        'E_PRECONDITION_FAILED',
      ],
      requestHeaders: ['If-Match'],
      operationId: 'changeMemberRole',
      summary: "Change a member's role",
      description: 'Requires an admin of the library. The owner stays an admin.',
      params: byMember,
      body: contract.changeMember,
      response: { 200: answer(contract.member) },
    }),
    (request, reply) => {
      const { id: libraryId, user_id: memberId } = request.params;
      const change = { memberId, role: request.body.role };
      const { user_id } = principalOf(request);
      const changed = members.changeRole(user_id, libraryId, change, actorOf(request));
      return versioned(reply, changed, memberVersion);
    },
  );

  api.delete(
    '/libraries/:id/members/:user_id',
    forViewers({
      errors: [...FORBIDDEN, 'E_LAST_ADMIN_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      operationId: 'removeMember',
      summary: 'Remove a member, or leave a library',
      description: 'Requires an admin of the library, or the member. They lose access immediately.',
      params: byMember,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      const { id: libraryId, user_id } = request.params;
      await members.remove(principalOf(request).user_id, libraryId, user_id, actorOf(request));
      return reply.status(204).send(null);
    },
  );

  api.get(
    '/libraries/:id/members/:user_id/removal-preview',
    forViewers({
      errors: [...FORBIDDEN, 'E_LIBRARY_NOT_FOUND', 'E_NOT_FOUND'],
      operationId: 'previewMemberRemoval',
      summary: 'Preview the removal of a member',
      description:
        'Requires an admin of the library. Counts the media that the member would lose, and lists those they would keep and why. ' +
        'Libraries that the admin is not a member of are counted and not named.',
      params: byMember,
      querystring: listQuery,
      response: { 200: answer(contract.removalPreview).extend({ page }) },
    }),
    (request) => {
      const { id: libraryId, user_id } = request.params;
      return members.previewRemoval(principalOf(request).user_id, libraryId, user_id, request.query);
    },
  );

  api.post(
    '/libraries/:id/transfer-ownership',
    forViewers({
      errors: [
        'E_DEFAULT_LIBRARY_FORBIDDEN',
        'E_OWNER_REQUIRED',
        'E_LIBRARY_NOT_FOUND',
        'E_OWNERSHIP_TRANSFER_INVALID',
      ],
      repeat: readAgain(({ params, principal }) => data(members.library(principal.user_id, params.id))),
      operationId: 'transferLibraryOwnership',
      summary: 'Transfer ownership',
      description:
        'Requires the owner. The new owner must be a member and becomes an admin; the old owner stays an admin.',
      params: byId,
      body: contract.transferOwnership,
      response: { 200: answer(contract.library) },
    }),
    async (request) => {
      const { user_id } = principalOf(request);
      const { new_owner_user_id } = request.body;
      const { id: libraryId } = request.params;
      return {
        data: await members.transferOwnership(user_id, libraryId, new_owner_user_id, actorOf(request)),
      };
    },
  );
}
