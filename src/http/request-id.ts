import type { IncomingMessage } from 'node:http';
import { newId } from '../platform/ids.ts';

const VALID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's request id if it is a valid token, otherwise a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && VALID.test(given) ? given : newId();
}
