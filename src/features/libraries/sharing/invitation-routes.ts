import { z } from 'zod';
import * as contract from '../../../contract/libraries.ts';
import { answer, id, listOf } from '../../../contract/wire.ts';
import { data, sendCreated } from '../../../http/answers.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { readAgain } from '../../../http/repeats.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { Invitations } from './invitations.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Invitations'] });

export function registerInvitationRoutes(api: HttpServer, invitations: Invitations): void {
  api.post(
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
      repeat: readAgain(({ made, principal }) => data(invitations.get(principal.user_id, String(made.id)))),
      operationId: 'createInvitation',
      summary: 'Invite somebody to a library',
      description: 'Requires an admin of the library. Takes `invitee_user_id` or `invitee_username`.',
      params: byId,
      body: contract.createInvitation,
      response: { 201: answer(contract.invitation) },
    }),
    async (request, reply) => {
      const { user_id } = principalOf(request);
      const invitation = await invitations.invite(user_id, request.params.id, request.body, actorOf(request));
      return sendCreated(reply, `/libraries/invites/${invitation.id}`, invitation);
    },
  );

  api.get(
    '/libraries/:id/invites',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_LIBRARY_NOT_FOUND'],
      operationId: 'listLibraryInvitations',
      summary: 'List the invitations of a library',
      description: 'Requires an admin of the library. Newest first.',
      params: byId,
      querystring: contract.invitationQuery,
      response: { 200: listOf(contract.invitation) },
    }),
    (request) => invitations.listOfLibrary(principalOf(request).user_id, request.params.id, request.query),
  );

  api.get(
    '/libraries/invites',
    forViewers({
      operationId: 'listMyInvitations',
      summary: "List the caller's invitations",
      description: 'Newest first.',
      querystring: contract.invitationQuery,
      response: { 200: listOf(contract.invitation) },
    }),
    (request) => invitations.listOfInvitee(principalOf(request).user_id, request.query),
  );

  api.get(
    '/libraries/invites/:id',
    forViewers({
      errors: ['E_INVITE_NOT_FOUND'],
      operationId: 'getInvitation',
      summary: 'Get an invitation',
      description: 'Requires the invitee, or an admin of the library.',
      params: byId,
      response: { 200: answer(contract.invitation) },
    }),
    (request) => data(invitations.get(principalOf(request).user_id, request.params.id)),
  );

  api.post(
    '/libraries/invites/:id/accept',
    forViewers({
      errors: ['E_INVITE_NOT_FOUND', 'E_INVITE_NOT_PENDING'],
      repeat: readAgain(({ params, principal, made }) =>
        data(invitations.accepted(principal, params.id, made.idempotent === true)),
      ),
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation',
      description:
        'Requires the invitee, who can read the library immediately. Their default library is filled in the background.',
      params: byId,
      response: { 200: answer(contract.acceptedInvitation) },
    }),
    (request) => data(invitations.accept(principalOf(request), request.params.id, actorOf(request))),
  );

  api.post(
    '/libraries/invites/:id/decline',
    forViewers({
      errors: ['E_INVITE_NOT_FOUND', 'E_INVITE_NOT_PENDING'],
      repeat: readAgain(({ params, principal, made }) =>
        data(invitations.declined(principal.user_id, params.id, made.idempotent === true)),
      ),
      operationId: 'declineInvitation',
      summary: 'Decline an invitation',
      description: 'Requires the invitee.',
      params: byId,
      response: { 200: answer(contract.declinedInvitation) },
    }),
    (request) => data(invitations.decline(principalOf(request).user_id, request.params.id, actorOf(request))),
  );

  api.delete(
    '/libraries/invites/:id',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_INVITE_NOT_FOUND', 'E_INVITE_NOT_PENDING'],
      operationId: 'revokeInvitation',
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
