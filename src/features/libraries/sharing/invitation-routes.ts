import { z } from 'zod';
import * as contract from '../../../contract/libraries.ts';
import { id } from '../../../contract/wire.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { Invitations } from './invitations.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Invitations'] });

export function registerInvitationRoutes(server: HttpServer, invitations: Invitations): void {
  server.post(
    '/libraries/:id/invites',
    forViewers({
      errors: [
        'E_FORBIDDEN',
        'E_DEFAULT_LIBRARY_FORBIDDEN',
        'E_LIBRARY_NOT_FOUND',
        'E_USER_NOT_FOUND',
        'E_INVITE_MEMBER_EXISTS',
        'E_INVITE_ALREADY_EXISTS',
      ],
      summary: 'Invite somebody to a library',
      description: 'Requires an admin of the library. Takes `invitee_user_id` or `invitee_username`.',
      params: byId,
      body: contract.createInvitation,
      response: { 201: contract.invitationAnswer },
    }),
    async (request, reply) => {
      const { user_id } = principalOf(request);
      const data = await invitations.invite(user_id, request.params.id, request.body, request.id);
      return reply.status(201).send({ data });
    },
  );

  server.get(
    '/libraries/:id/invites',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      summary: 'List the invitations of a library',
      description: 'Requires an admin of the library. Newest first.',
      params: byId,
      querystring: contract.invitationQuery,
      response: { 200: contract.invitationList },
    }),
    (request) => invitations.listOfLibrary(principalOf(request).user_id, request.params.id, request.query),
  );

  server.get(
    '/libraries/invites',
    forViewers({
      summary: "List the caller's invitations",
      description: 'Newest first.',
      querystring: contract.invitationQuery,
      response: { 200: contract.invitationList },
    }),
    (request) => invitations.listOfInvitee(principalOf(request).user_id, request.query),
  );

  server.post(
    '/libraries/invites/:id/accept',
    forViewers({
      errors: ['E_INVITE_NOT_FOUND', 'E_INVITE_NOT_PENDING'],
      summary: 'Accept an invitation',
      description:
        'Requires the invitee, who can read the library immediately. Their default library is filled in the background.',
      params: byId,
      response: { 200: contract.acceptedInvitation },
    }),
    async (request) => ({
      data: await invitations.accept(principalOf(request), request.params.id, actorOf(request)),
    }),
  );

  server.post(
    '/libraries/invites/:id/decline',
    forViewers({
      errors: ['E_INVITE_NOT_FOUND', 'E_INVITE_NOT_PENDING'],
      summary: 'Decline an invitation',
      description: 'Requires the invitee.',
      params: byId,
      response: { 200: contract.declinedInvitation },
    }),
    async (request) => ({
      data: await invitations.decline(principalOf(request).user_id, request.params.id, request.id),
    }),
  );

  server.delete(
    '/libraries/invites/:id',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_INVITE_NOT_FOUND', 'E_INVITE_NOT_PENDING'],
      summary: 'Revoke an invitation',
      description: 'Requires an admin of the library.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await invitations.revoke(principalOf(request).user_id, request.params.id, request.id);
      return reply.status(204).send(null);
    },
  );
}
