import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '../../contract/branches.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { answer, id, listOf } from '../../contract/wire.ts';
import { data, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { sendUnlessKnown } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import { inChunks } from '../../platform/chunks.ts';
import type { Branches, Prepared } from './branches.ts';

const byId = z.object({ id });
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

export function registerBranchRoutes(api: HttpServer, branches: Branches): void {
  api.post(
    '/branches',
    forOperators({
      errors: ['E_MEDIA_NOT_FOUND', 'E_BRANCH_NOT_FOUND', 'E_INVALID_STATE', 'E_TEXT_TOO_COSTLY', DAMAGED],
      repeat: readAgain(({ made, principal }) => data(branches.get(principal, String(made.id)))),
      operationId: 'createBranch',
      summary: 'Create a branch',
      description: 'Forks the text of a document, or of a branch after one of its events.',
      body: contract.forkBranch,
      response: { 201: answer(contract.branch) },
    }),
    async (request, reply) => {
      const branch = await branches.fork(principalOf(request), request.body, actorOf(request));
      return sendCreated(reply, `/branches/${branch.id}`, branch);
    },
  );

  api.get(
    '/branches',
    forViewers({
      operationId: 'listBranches',
      summary: 'List the branches of a document',
      description: "Newest first: the caller's own, and those of people who share the document with them.",
      querystring: contract.branchQuery,
      response: { 200: listOf(contract.branch) },
    }),
    (request) => branches.list(principalOf(request), request.query),
  );

  api.get(
    '/branches/:id',
    forViewers({
      errors: ['E_BRANCH_NOT_FOUND'],
      operationId: 'getBranch',
      summary: 'Get a branch',
      description: 'Returns what it was forked from, and the hash and length of its text.',
      params: byId,
      response: { 200: answer(contract.branch) },
    }),
    (request) => data(branches.get(principalOf(request), request.params.id)),
  );

  api.delete(
    '/branches/:id',
    forOperators({
      errors: ['E_BRANCH_NOT_FOUND', 'E_FORBIDDEN', 'E_INVALID_STATE'],
      goneCode: 'E_BRANCH_NOT_FOUND',
      operationId: 'deleteBranch',
      summary: 'Delete a branch',
      description:
        'Requires its author, or an admin. A branch that others were forked from stays until they are gone.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await branches.delete(principalOf(request), request.params.id);
      return reply.status(204).send(null);
    },
  );

  api.post(
    '/branches/:id/events',
    forOperators({
      errors: ['E_BRANCH_NOT_FOUND', 'E_BRANCH_MOVED', 'E_TEXT_TOO_COSTLY', DAMAGED],
      repeat: readAgain(({ made, principal }) => data(branches.get(principal, String(made.id)))),
      operationId: 'appendBranchEvents',
      summary: 'Append events to a branch',
      description:
        'Appends after the last event that the caller knows. When there is a newer one, nothing is appended, and ' +
        'details.head in the error has the current head. Offsets count Unicode code points.',
      params: byId,
      body: contract.appendEvents,
      response: { 201: answer(contract.branch) },
    }),
    async (request, reply) => {
      const { id: branchId } = request.params;
      const branch = await branches.append(principalOf(request), branchId, request.body, actorOf(request));
      return sendCreated(reply, `/branches/${branch.id}`, branch);
    },
  );

  api.get(
    '/branches/:id/events',
    forViewers({
      errors: TEXT_ERRORS,
      operationId: 'listBranchEvents',
      summary: 'List the events of a branch',
      description: 'In order, each with the hash of the text after it.',
      params: byId,
      querystring: contract.branchEventQuery,
      response: { 200: listOf(contract.branchEvent) },
    }),
    (request, reply) => {
      const { id: branchId } = request.params;
      return sendJson(
        reply,
        branches.events(principalOf(request), branchId, request.query, actorOf(request)),
      );
    },
  );

  api.get(
    '/branches/:id/text',
    forViewers({
      errors: [...TEXT_ERRORS, DAMAGED],
      operationId: 'getBranchText',
      summary: 'Get the text of a branch',
      description:
        'Returns the text after any event; 0 is the forked text. In PUBLIC mode policies are applied.',
      params: byId,
      querystring: contract.branchTextQuery,
      response: { 200: answer(contract.branchText) },
    }),
    (request, reply) => {
      const { id: branchId } = request.params;
      return sendJson(reply, branches.text(principalOf(request), branchId, request.query, actorOf(request)));
    },
  );

  api.get(
    '/branches/:id/compare',
    forViewers({
      errors: [...TEXT_ERRORS, DAMAGED],
      operationId: 'compareBranches',
      summary: 'Compare two texts',
      description:
        'Compares two positions of one branch or of two: line by line, and word by word within changed lines.',
      params: byId,
      querystring: contract.compareQuery,
      response: { 200: answer(contract.comparison) },
    }),
    (request, reply) => {
      const { id: branchId } = request.params;
      return sendJson(
        reply,
        branches.compare(principalOf(request), branchId, request.query, actorOf(request)),
      );
    },
  );
}

/** Sends an answer that is already JSON in slices, because it may be long. */
async function sendJson(reply: FastifyReply, answer: Promise<Prepared>): Promise<never> {
  const { state, write } = await answer;
  return sendUnlessKnown(reply, {
    state,
    async make() {
      const json = await write();
      reply.type('application/json; charset=utf-8').header('content-length', json.length);
      return Readable.from(inChunks(json), { objectMode: false });
    },
  });
}
