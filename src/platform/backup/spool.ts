import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';

export type Spool = Awaited<ReturnType<typeof openSpool>>;

/** A temporary file of lines, for lists that may be too long for the memory. */
export async function openSpool() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'nexus-backup-'));
  const file = path.join(directory, 'lines');

  async function* lines(): AsyncGenerator<string> {
    yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  }

  return {
    writer: (): Writable => createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    lines,
    async count(): Promise<number> {
      let count = 0;
      for await (const _ of lines()) count += 1;
      return count;
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}
