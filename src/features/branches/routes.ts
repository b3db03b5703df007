import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '../../contract/branches.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import { inChunks } from '../../platform/chunks.ts';
import type { Branches, Json } from './branches.ts';

const byId = z.object({ branch_id: id });
const forViewers = routeOptions({ access: 'viewer', feature: 'branches', tags: ['Branches'] });
const forOperators = routeOptions({ access: 'operator', feature: 'branches.write', tags: ['Branches'] });

/** The errors of routes that return the text of a branch. */
const TEXT_ERRORS: ErrorCode[] = [
  'E_BRANCH_NOT_FOUND',
  'E_MODE_FORBIDDEN',
  'E_GOVERNANCE_BLOCKED',
  'E_TEXT_TOO_COSTLY',
];
const DAMAGED: ErrorCode = 'E_BRANCH_DAMAGED';

export function registerBranchRoutes(server: HttpServer, branches: Branches): void {
  server.post(
    '/api/v1/branches',
    forOperators({
      errors: ['E_MEDIA_NOT_FOUND', 'E_BRANCH_NOT_FOUND', 'E_INVALID_STATE', 'E_TEXT_TOO_COSTLY', DAMAGED],
      summary: 'Create a branch',
      description: 'Forks the text of a document, or of a branch after one of its events.',
      body: contract.forkBranch,
      response: { 201: contract.branch },
    }),
    async (request, reply) => reply.status(201).send(await branches.fork(principalOf(request), request.body)),
  );

  server.get(
    '/api/v1/branches',
    forViewers({
      summary: 'List the branches of a document',
      description: "Newest first: the caller's own, and those of people who share the document with them.",
      querystring: contract.branchQuery,
      response: { 200: contract.branchList },
    }),
    (request) => branches.list(principalOf(request), request.query),
  );

  server.get(
    '/api/v1/branches/:branch_id',
    forViewers({
      errors: ['E_BRANCH_NOT_FOUND'],
      summary: 'Get a branch',
      params: byId,
      response: { 200: contract.branch },
    }),
    (request) => branches.get(principalOf(request), request.params.branch_id),
  );

  server.post(
    '/api/v1/branches/:branch_id/events',
    forOperators({
      errors: ['E_BRANCH_NOT_FOUND', 'E_BRANCH_MOVED', 'E_TEXT_TOO_COSTLY', DAMAGED],
      summary: 'Append events to a branch',
      description:
        'Appends after the last event that the caller knows. When there is a newer one, nothing is appended, and ' +
        'details.head in the error has the current head. Offsets count Unicode code points.',
      params: byId,
      body: contract.appendEvents,
      response: { 201: contract.branch },
    }),
    async (request, reply) => {
      const { after, events } = request.body;
      const appended = branches.append(principalOf(request), request.params.branch_id, after, events);
      return reply.status(201).send(await appended);
    },
  );

  server.get(
    '/api/v1/branches/:branch_id/events',
    forViewers({
      errors: TEXT_ERRORS,
      summary: 'List the events of a branch',
      description: 'In order, each with the hash of the text after it.',
      params: byId,
      querystring: contract.branchEventQuery,
      response: { 200: contract.branchEventList },
    }),
    (request, reply) => {
      const { branch_id } = request.params;
      return sendJson(
        reply,
        branches.events(principalOf(request), branch_id, request.query, actorOf(request)),
      );
    },
  );

  server.get(
    '/api/v1/branches/:branch_id/text',
    forViewers({
      errors: [...TEXT_ERRORS, DAMAGED],
      summary: 'Get the text of a branch',
      description:
        'Returns the text after any event; 0 is the forked text. In PUBLIC mode policies are applied.',
      params: byId,
      querystring: contract.branchTextQuery,
      response: { 200: contract.branchText },
    }),
    (request, reply) => {
      const { branch_id } = request.params;
      return sendJson(reply, branches.text(principalOf(request), branch_id, request.query, actorOf(request)));
    },
  );

  server.get(
    '/api/v1/branches/:branch_id/compare',
    forViewers({
      errors: [...TEXT_ERRORS, DAMAGED],
      summary: 'Compare two texts',
      description:
        'Compares two positions of one branch or of two: line by line, and word by word within changed lines.',
      params: byId,
      querystring: contract.compareQuery,
      response: { 200: contract.comparison },
    }),
    (request, reply) => {
      const { branch_id } = request.params;
      return sendJson(
        reply,
        branches.compare(principalOf(request), branch_id, request.query, actorOf(request)),
      );
    },
  );
}

/** Sends an answer that is already JSON in slices, because it may be long. */
async function sendJson(reply: FastifyReply, answer: Promise<Json>): Promise<never> {
  const json = await answer;
  reply.type('application/json; charset=utf-8').header('content-length', json.length);
  return reply.send(Readable.from(inChunks(json), { objectMode: false })) as never;
}
