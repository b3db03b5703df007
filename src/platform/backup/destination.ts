import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';

/** The place that a backup is written to. */
export interface Destination {
  open(): Promise<Writable>;
  /** Makes what was written durable, and visible under its name. */
  commit(): Promise<void>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/** A file that appears complete or not at all, and replaces an earlier one. Only its owner may read it. */
export function fileDestination(file: string): Destination {
  const target = path.resolve(file);
  const partial = partialOf(target);
  let ours: { ino: number; dev: number } | undefined;

  /** Whether the partial file is still the one that this process opened: another backup may write to the same name. */
  async function isOurs(): Promise<boolean> {
    const found = await stat(partial).catch(() => undefined);
    return ours !== undefined && ours.ino === found?.ino && ours.dev === found.dev;
  }

  return {
    async open() {
      await requireReplaceable(target);
      await rm(partial, { force: true });
      const handle = await open(partial, 'wx', 0o600);
      ours = await handle.stat();
      return writeInto(handle);
    },
    async commit() {
      if (!(await isOurs())) throw new Error(`Another process writes to ${partial}.`);
      await rename(partial, target);
      const directory = await open(path.dirname(target), 'r');
      await directory.sync().finally(() => directory.close());
    },
    async discard() {
      if (await isOurs()) await rm(partial, { force: true });
    },
  };
}

/** Throws for a device, a pipe, a directory or a link, which the rename would replace. */
async function requireReplaceable(target: string): Promise<void> {
  const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!found || found.isFile()) return;
  throw new Error(
    `${target} is not a regular file, and a backup would replace it. Give the name of a file, or write to standard output with \`-\` and redirect that.`,
  );
}

/** A stream into a file, which is flushed to the disk and closed once everything is written. */
function writeInto(handle: FileHandle): Writable {
  return new Writable({
    highWaterMark: 1024 * 1024,
    write(chunk: Buffer, _encoding, done) {
      handle.writeFile(chunk).then(() => done(), done);
    },
    final(done) {
      handle.sync().then(() => done(), done);
    },
    // Closing waits for a write that is under way.
    destroy(error, done) {
      handle.close().then(() => done(error), done);
    },
  });
}

/** The name of an incomplete backup. A process that is killed leaves it behind; the next backup replaces it. */
export function partialOf(file: string): string {
  return `${file}.partial`;
}

export const stdoutDestination: Destination = {
  open: async () => process.stdout,
  commit: async () => undefined,
  discard: async () => undefined,
};
