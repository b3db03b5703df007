import { z } from 'zod';
import * as contract from '../../../contract/libraries.ts';
import { id, listQuery } from '../../../contract/wire.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import type { Members } from './members.ts';
import type { RemovalPreview } from './removal-preview.ts';

const byId = z.object({ id });
const byMember = z.object({ id, user_id: id });
const tags = ['Members'];

export interface MemberRoutes {
  members: Members;
  previewRemoval: RemovalPreview;
}

export function registerMemberRoutes(server: HttpServer, { members, previewRemoval }: MemberRoutes): void {
  server.get(
    '/libraries/:id/members',
    {
      config: { access: 'viewer', feature: 'libraries', errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'List the members of a library',
        description:
          'Requires an admin of the library. The owner first, then admins, then the others, each by age.',
        params: byId,
        querystring: listQuery,
        response: { 200: contract.memberList },
      },
    },
    async (request) => {
      const { rows, page } = await members.list(
        principalOf(request).user_id,
        request.params.id,
        request.query,
      );
      return { data: rows, page };
    },
  );

  server.patch(
    '/libraries/:id/members/:user_id',
    {
      config: {
        access: 'viewer',
        feature: 'libraries',
        errors: [
          'E_FORBIDDEN',
          'E_DEFAULT_LIBRARY_FORBIDDEN',
          'E_OWNER_EXIT_FORBIDDEN',
          'E_LAST_ADMIN_FORBIDDEN',
          'E_LIBRARY_NOT_FOUND',
          'E_NOT_FOUND',
        ],
      },
      schema: {
        tags,
        summary: "Change a member's role",
        description: 'Requires an admin of the library. The owner stays an admin.',
        params: byMember,
        body: contract.changeMember,
        response: { 200: contract.memberAnswer },
      },
    },
    async (request) => {
      const { id: libraryId, user_id } = request.params;
      const { role } = request.body;
      return {
        data: await members.changeRole(
          principalOf(request).user_id,
          libraryId,
          { memberId: user_id, role },
          actorOf(request),
        ),
      };
    },
  );

  server.delete(
    '/libraries/:id/members/:user_id',
    {
      config: {
        access: 'viewer',
        feature: 'libraries',
        errors: [
          'E_FORBIDDEN',
          'E_DEFAULT_LIBRARY_FORBIDDEN',
          'E_OWNER_EXIT_FORBIDDEN',
          'E_LAST_ADMIN_FORBIDDEN',
          'E_LIBRARY_NOT_FOUND',
        ],
      },
      schema: {
        tags,
        summary: 'Remove a member, or leave a library',
        description: 'Requires an admin of the library, or the member. They lose access immediately.',
        params: byMember,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id: libraryId, user_id } = request.params;
      await members.remove(principalOf(request).user_id, libraryId, user_id, actorOf(request));
      return reply.status(204).send(null);
    },
  );

  server.get(
    '/libraries/:id/members/:user_id/removal-preview',
    {
      config: {
        access: 'viewer',
        feature: 'libraries',
        errors: [
          'E_FORBIDDEN',
          'E_DEFAULT_LIBRARY_FORBIDDEN',
          'E_OWNER_EXIT_FORBIDDEN',
          'E_LIBRARY_NOT_FOUND',
          'E_NOT_FOUND',
        ],
      },
      schema: {
        tags,
        summary: 'Preview the removal of a member',
        description:
          'Requires an admin of the library. Counts the media that the member would lose, and lists those they would keep and why. ' +
          'Libraries that the admin is not a member of are counted and not named.',
        params: byMember,
        querystring: listQuery,
        response: { 200: contract.removalPreview },
      },
    },
    (request) =>
      previewRemoval(principalOf(request).user_id, request.params.id, request.params.user_id, request.query),
  );

  server.post(
    '/libraries/:id/transfer-ownership',
    {
      config: {
        access: 'viewer',
        feature: 'libraries',
        errors: [
          'E_DEFAULT_LIBRARY_FORBIDDEN',
          'E_OWNER_REQUIRED',
          'E_LIBRARY_NOT_FOUND',
          'E_OWNERSHIP_TRANSFER_INVALID',
        ],
      },
      schema: {
        tags,
        summary: 'Transfer ownership',
        description:
          'Requires the owner. The new owner must be a member and becomes an admin; the old owner stays an admin.',
        params: byId,
        body: contract.transferOwnership,
        response: { 200: contract.libraryAnswer },
      },
    },
    async (request) => ({
      data: await members.transferOwnership(
        principalOf(request).user_id,
        request.params.id,
        request.body.new_owner_user_id,
        actorOf(request),
      ),
    }),
  );
}
