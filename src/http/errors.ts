import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCode, NexusError } from '../contract/errors.ts';
import { invalidFields } from '../contract/invalid-request.ts';
import { sentence } from '../contract/issues.ts';
import { isDatabaseTrouble } from '../platform/database/trouble.ts';
import { failureCause, ProcessStopped } from '../platform/processes/stopped.ts';
import { RequestMismatch } from './schemas.ts';

/** Sends any thrown error in the error format of the API. Errors become HTTP only here. */
export function replyWithError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  reply.send(writeError(thrown, request, reply));
}

/** Sets the status and the headers of an error, and returns its body. */
export function writeError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): string {
  const error = toNexusError(thrown);
  const { status } = ERRORS[error.code];
  if (status >= 500) request.log.error({ err: thrown }, error.message);
  if (error.code === 'E_RANGE_NOT_SATISFIABLE')
    reply.header('content-range', `bytes */${error.details?.size}`);
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="nexus"');
  const retryAfter = error.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  reply.status(status).type('application/json; charset=utf-8');
  return errorBytes(error.code, error.message, request.id, error.details);
}

/** Serialises an error body. The route's response schema cannot: it describes successful responses. */
export function errorBytes(code: ErrorCode, message: string, requestId: string, details?: object): string {
  return JSON.stringify({ error: { code, message, request_id: requestId, details } });
}

const FASTIFY_ERRORS: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The request body is too large.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'This route accepts only JSON. Send Content-Type: application/json.',
  FST_ERR_BAD_URL: 'The path is not valid percent-encoded UTF-8.',
  FST_ERR_MAX_PARAM_LENGTH: 'A path segment is too long.',
};

function toNexusError(thrown: unknown): NexusError {
  if (thrown instanceof NexusError) return thrown;
  if (thrown instanceof RequestMismatch) {
    const { fields, validationContext = '' } = thrown as RequestMismatch & { validationContext?: string };
    return invalidFields(fields.map(({ path, ...field }) => ({ path: path || validationContext, ...field })));
  }
  if (thrown instanceof ProcessStopped && failureCause(thrown) === undefined) {
    return new NexusError('E_UNAVAILABLE', 'Nexus is too busy or shutting down. Try again in a moment.');
  }
  const { code = '', statusCode = 500, message } = thrown as Partial<FastifyError>;
  if (statusCode >= 400 && statusCode < 500)
    return new NexusError('E_INVALID_REQUEST', FASTIFY_ERRORS[code] ?? sentence(message));
  if (isDatabaseTrouble(thrown)) {
    return new NexusError('E_UNAVAILABLE', 'The database is unavailable. Try again in a moment.');
  }
  return new NexusError(
    'E_INTERNAL',
    'Something went wrong on the server. The log has the details under this request id.',
  );
}
