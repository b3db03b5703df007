import { type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../platform/ids.ts';
import { errorBytes } from './errors.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Responds to invalid HTTP and to oversized headers, for which Node.js creates no request. */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { headers, body } = invalidRequest(
    error.code === 'HPE_HEADER_OVERFLOW'
      ? `The URL and the headers are longer than ${maxHeaderSize} bytes.`
      : 'The request is not valid HTTP.',
  );
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Destroyed after sending: a client that keeps its side open would otherwise hold the file descriptor forever.
  socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'), () => socket.destroy());
}

/** Responds to an Expect header other than 100-continue. Without this, Node.js responds with an empty body. */
export function answerUnknownExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { headers, body } = invalidRequest('The header Expect must be 100-continue.');
  response.writeHead(400, headers).end(body);
}

function invalidRequest(message: string) {
  const id = newId();
  const body = errorBytes('E_INVALID_REQUEST', message, id);
  return {
    body,
    headers: {
      ...SECURITY_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': id,
      connection: 'close',
    },
  };
}
