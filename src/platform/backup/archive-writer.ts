import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { END_BYTES, makeTrailer } from './trailer.ts';

export type ArchiveWriter = ReturnType<typeof createArchiveWriter>;

/** Writes the tar file of a backup into a stream, with its digest at the end. */
export function createArchiveWriter(sink: Writable, mtime: Date, signal?: AbortSignal) {
  const tar = pack();
  const counted = { bytes: 0 };
  const written = pipeline(tar as unknown as NodeJS.ReadableStream, withDigest(counted), sink, {
    end: sink !== process.stdout,
    ...(signal && { signal }),
  });
  // The pipeline reports errors. One may still come after it has ended: that of a write that was under way.
  sink.on('error', () => undefined);
  // Thrown by `add`, `addStream` or `finish`, whichever comes next.
  let failure: unknown;
  written.catch((error) => {
    failure = error;
  });
  const failed = written.then(
    () => new Promise<never>(() => undefined),
    (error) => Promise.reject(error),
  );
  // `addStream` throws it.
  failed.catch(() => undefined);

  return {
    counted,

    async add(name: string, content: Buffer): Promise<void> {
      await this.addStream(name, content.length, [content]);
    },

    /** Writes an entry. Throws when the content does not have this size. */
    async addStream(
      name: string,
      size: number,
      content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    ): Promise<void> {
      if (failure) throw failure;
      const done = new Promise<void>((resolve, reject) => {
        const entry = tar.entry({ name, size, mode: 0o600, mtime }, (error) =>
          error ? reject(error) : resolve(),
        );
        entry.on('error', reject);
        void feed(entry, size, content, failed).catch((error) => {
          entry.destroy();
          reject(error);
        });
      });
      await Promise.race([done, failed]);
    },

    async finish(): Promise<void> {
      tar.finalize();
      await written;
    },

    /** Gives up. Nothing is written any more when it resolves. */
    async abort(error: Error): Promise<void> {
      tar.destroy(error);
      // It fails with the error of the caller, who throws it.
      await written.catch(() => undefined);
    },
  };
}

type Entry = ReturnType<ReturnType<typeof pack>['entry']>;

async function feed(
  entry: Entry,
  size: number,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  failed: Promise<never>,
): Promise<void> {
  let left = size;
  for await (const chunk of content) {
    left -= chunk.length;
    if (left < 0) throw new Error('A file grew while it was read.');
    if (!entry.write(chunk)) await Promise.race([once(entry as never, 'drain'), failed]);
  }
  if (left > 0) throw new Error('A file shrank while it was read.');
  entry.end(null);
}

/** Passes the tar file on, and replaces its end by the entry with the digest. */
function withDigest(counted: { bytes: number }): Transform {
  const hash = createHash('sha256');
  let held = Buffer.alloc(0);
  const pass = (stream: Transform, chunk: Buffer) => {
    hash.update(chunk);
    counted.bytes += chunk.length;
    stream.push(chunk);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const all = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const end = Math.max(0, all.length - END_BYTES);
      if (end > 0) pass(this, all.subarray(0, end));
      held = Buffer.from(all.subarray(end));
      done();
    },
    flush(done) {
      makeTrailer('0'.repeat(64))
        .then(({ header }) => makeTrailer(hash.update(header).digest('hex')))
        .then(({ bytes }) => {
          counted.bytes += bytes.length;
          this.push(bytes);
          done();
        }, done);
    },
  });
}
