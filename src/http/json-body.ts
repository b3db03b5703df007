import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { invalidField } from './errors.ts';
import { findMalformed } from './malformed-json.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON bodies. An empty body counts as no body, also when its content type is JSON. */
export function registerJsonBody(server: FastifyInstance): void {
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, bytes: Buffer) => {
      if (bytes.length === 0) return undefined;
      const body = parse(decode(bytes));
      const malformed = findMalformed(body);
      if (malformed) throw invalidField(malformed.path.join('.') || 'body', malformed.message);
      return body;
    },
  );
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new NexusError('E_INVALID_REQUEST', 'The body is not valid UTF-8.', { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NexusError('E_INVALID_REQUEST', 'The body is not valid JSON.', { cause: error });
  }
}
