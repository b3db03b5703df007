import type { IncomingMessage } from 'node:http';
import { newId } from '../platform/ids.ts';

const SANE = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id where it is a plain token, a new one otherwise. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newId();
}
