import type { IncomingMessage } from 'node:http';
import { Duplex, pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { EgressError } from './errors.ts';

/** The value of `Accept-Encoding`. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** Some servers compress twice; more is an attack. */
const MAX_ENCODINGS = 2;

interface BodyOptions {
  method: string;
  limit: number;
  host: string;
  /** Converts errors while the body is read. */
  explain: (error: Error) => Error;
}

/**
 * Returns the decompressed body of a response. It fails as soon as the body exceeds the limit, before or after
 * decompression. So a decompression bomb is never held in memory, and endless data that decompresses to nothing ends.
 */
export function decodedBody(
  response: IncomingMessage,
  { method, limit, host, explain }: BodyOptions,
): Readable {
  // There is nothing to decode or to limit, and a pipeline costs more than the rest of such a request.
  if (response.statusCode === 204 || response.headers['content-length'] === '0') return response;
  const encodings = contentEncodings(response, method);
  if (encodings.length > MAX_ENCODINGS) {
    throw new EgressError('E_INVALID_RESPONSE', `${host} compressed its response more than twice.`);
  }
  if (method !== 'HEAD' && encodings.length === 0 && Number(response.headers['content-length']) > limit)
    throw tooLarge(limit, host);
  const decoders = encodings.map((encoding) => decoder(encoding, host));
  const body = new LimitedBody(limit, host, explain);
  const steps: Duplex[] = decoders.length > 0 ? [new LimitedBody(limit, host, explain), ...decoders] : [];
  // The callback has nothing to do: the reader of the body gets the error.
  pipeline([response, ...steps, body], () => {});
  return body;
}

class LimitedBody extends Transform {
  #left: number;
  readonly #tooLarge: () => EgressError;
  readonly #explain: (error: Error) => Error;

  constructor(limit: number, host: string, explain: (error: Error) => Error) {
    super();
    this.#left = limit;
    this.#tooLarge = () => tooLarge(limit, host);
    this.#explain = explain;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void) {
    this.#left -= chunk.length;
    if (this.#left < 0) done(this.#tooLarge());
    else done(null, chunk);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    done(error && this.#explain(error));
  }
}

/** Returns the encodings in the order in which they must be decoded. */
function contentEncodings(response: IncomingMessage, method: string): string[] {
  const hasBody = method !== 'HEAD' && response.statusCode !== 204 && response.statusCode !== 304;
  const named = hasBody ? (response.headers['content-encoding'] ?? '') : '';
  return named
    .split(',')
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== '' && encoding !== 'identity')
    .reverse();
}

function decoder(encoding: string, host: string): Duplex {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  if (encoding === 'deflate') return Duplex.from(inflate);
  throw new EgressError(
    'E_INVALID_RESPONSE',
    `${host} compressed its response in a way that Nexus does not support.`,
  );
}

/** Decodes `deflate`. Some servers send the zlib header that the standard requires, others omit it. */
async function* inflate(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const hasHeader = ((first.value[0] ?? 0) & 0x0f) === 8;
  const all = async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  yield* pipeline(all, hasHeader ? createInflate() : createInflateRaw(), () => {});
}

function tooLarge(limit: number, host: string): EgressError {
  const size = limit >= 1024 * 1024 ? `${Math.floor(limit / 1024 / 1024)} MB` : `${limit} bytes`;
  return new EgressError(
    'E_RESPONSE_TOO_LARGE',
    `The response of ${host} is larger than ${size}, the limit of Nexus.`,
  );
}
