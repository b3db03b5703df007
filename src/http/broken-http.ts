import { type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../platform/ids.ts';
import { errorBytes } from './errors.ts';

/** For answers that are given before any hook has run. */
export const BARE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Answers bytes that are not HTTP, or headers that are too large: they never become a request. */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { headers, body } = refusal(
    error.code === 'HPE_HEADER_OVERFLOW'
      ? `The address and the headers are longer than ${maxHeaderSize} bytes.`
      : 'This is not a well-formed HTTP request.',
  );
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Destroyed, because a peer that keeps its half open would hold the descriptor for ever.
  socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'), () => socket.destroy());
}

/** Answers a request with an Expect header other than 100-continue, which Node.js would answer with an empty body. */
export function answerUnknownExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { headers, body } = refusal('The header Expect takes 100-continue.');
  response.writeHead(400, headers).end(body);
}

function refusal(message: string) {
  const id = newId();
  const body = errorBytes('E_INVALID_REQUEST', message, id);
  return {
    body,
    headers: {
      ...BARE_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': id,
      connection: 'close',
    },
  };
}
