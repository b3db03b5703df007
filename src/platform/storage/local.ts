import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import {
  checkedContent,
  checkPath,
  checkPrefix,
  type Storage,
  type StoredFile,
  UnsatisfiableRange,
} from './storage.ts';

/** The folder of incomplete files. It is inside the storage directory, so that a rename stays within one file system. */
const PARTIAL = '.partial';

/** Files that a crash left incomplete are deleted after this time. */
const MAX_PARTIAL_AGE_MS = 24 * 60 * 60 * 1000;

/** Opens a storage that keeps files in a directory. Several processes may share it. */
export async function openLocalStorage(directory: string): Promise<Storage> {
  // The parent directory stays accessible: the account that runs PostgreSQL has its data there, too.
  await mkdir(path.dirname(directory), { recursive: true });
  await mkdir(path.join(directory, PARTIAL), { recursive: true, mode: 0o700 });
  const root = await realpath(directory);
  const partial = path.join(root, PARTIAL);
  await removeAbandoned(partial);

  return {
    async put(name, content, options = {}) {
      const target = locate(root, name);
      const temporary = path.join(partial, randomUUID());
      try {
        const size = await write(temporary, checkedContent(name, content, options));
        await moveInto(root, temporary, target);
        return size;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },

    async get(name, range) {
      const handle = await openInside(root, locate(root, name));
      if (!handle) return undefined;
      try {
        const { size, mtime } = await handle.stat();
        if (range && range.start >= size) throw new UnsatisfiableRange(name);
        const content = handle.createReadStream(
          range ? { start: range.start, end: range.end ?? size - 1 } : {},
        );
        return { file: { path: name, size, modifiedAt: mtime }, content };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },

    async head(name) {
      const handle = await openInside(root, locate(root, name));
      if (!handle) return undefined;
      const { size, mtime } = await handle.stat().finally(() => handle.close());
      return { path: name, size, modifiedAt: mtime };
    },

    async move(from, to) {
      const source = locate(root, from);
      if (!(await isInside(root, path.dirname(source)))) throw new Error(`The file ${from} does not exist.`);
      await moveInto(root, source, locate(root, to));
      await removeEmptyParents(root, source);
    },

    async delete(name) {
      const target = locate(root, name);
      if (!(await isInside(root, path.dirname(target)))) return;
      await rm(target, { force: true });
      await removeEmptyParents(root, target);
    },

    async *list(prefix = '') {
      checkPrefix(prefix);
      yield* walk(root, '', prefix);
    },

    directUpload: async () => undefined,
    uploadOrigin: async () => undefined,
    close() {},
  };
}

function locate(root: string, name: string): string {
  checkPath(name);
  return path.join(root, name);
}

async function write(file: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let size = 0;
    for await (const chunk of content) {
      await handle.writeFile(chunk);
      size += chunk.length;
    }
    await handle.sync();
    return size;
  } finally {
    await handle.close();
  }
}

/** Moves a file into place. The rename is atomic; syncing the directories makes it survive a crash. */
async function moveInto(root: string, temporary: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const created = await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    if (!(await isInside(root, path.dirname(target)))) {
      throw new Error(`${path.dirname(target)} is outside the storage directory.`);
    }
    try {
      await rename(temporary, target);
    } catch (error) {
      // A parallel delete of the directory's last file has removed the directory.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && attempt < 10) continue;
      throw error;
    }
    const highest = created ? path.dirname(created) : path.dirname(target);
    for (let at = path.dirname(target); ; at = path.dirname(at)) {
      await syncDirectory(at);
      if (at === highest) return;
    }
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(ignoreMissing);
  await handle?.sync().finally(() => handle.close());
}

/** Opens a file. Returns undefined when the file or a directory in its path is a symbolic link. */
async function openInside(root: string, target: string): Promise<FileHandle | undefined> {
  if (!(await isInside(root, path.dirname(target)))) return undefined;
  const handle = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoreMissing);
  if (handle && (await handle.stat()).isFile()) return handle;
  await handle?.close();
  return undefined;
}

async function isInside(root: string, directory: string): Promise<boolean> {
  const real = await realpath(directory).catch(ignoreMissing);
  return real === directory && (real === root || real.startsWith(root + path.sep));
}

/** Ignores missing files, and ELOOP: the error for a symbolic link under O_NOFOLLOW. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code ?? '')) throw error;
}

async function removeEmptyParents(root: string, target: string): Promise<void> {
  for (let directory = path.dirname(target); directory !== root; directory = path.dirname(directory)) {
    try {
      await rmdir(directory);
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return;
      throw error;
    }
  }
}

async function* walk(root: string, folder: string, prefix: string): AsyncGenerator<StoredFile> {
  const entries =
    (await readdir(path.join(root, folder), { withFileTypes: true }).catch(ignoreMissing)) ?? [];
  for (const entry of entries) {
    const name = `${folder}${entry.name}`;
    if (entry.name.startsWith('.') || !(name.startsWith(prefix) || prefix.startsWith(`${name}/`))) continue;
    if (entry.isDirectory()) yield* walk(root, `${name}/`, prefix);
    const found = entry.isFile() ? await lstat(path.join(root, name)).catch(ignoreMissing) : undefined;
    if (found) yield { path: name, size: found.size, modifiedAt: found.mtime };
  }
}

async function removeAbandoned(partial: string): Promise<void> {
  for (const name of await readdir(partial)) {
    const file = path.join(partial, name);
    const found = await lstat(file).catch(ignoreMissing);
    if (found && found.mtimeMs < Date.now() - MAX_PARTIAL_AGE_MS) await rm(file, { force: true });
  }
}
