import { NexusError } from '../../../contract/errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import { type Storage, UnsatisfiableRange } from '../../../platform/storage/storage.ts';
import { versionOf } from '../../../platform/version-tag.ts';
import { mediaNotFound } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import * as store from '../store.ts';
import { isThumbnail } from './asset-paths.ts';

/** The headers `Range` and `If-Range` of a request, and whether the client has the file with a tag already. */
interface WantedRange {
  range?: string | undefined;
  ifRange?: string | undefined;
  isKnown?(tag: string): boolean;
}

export type Files = ReturnType<typeof createFiles>;
export type ServedFile = Awaited<ReturnType<Files['original']>> & { isImmutable?: boolean };

/** Serves original files and images to people who can read the media now. */
export function createFiles({ sql, storage }: { sql: Database; storage: Storage }) {
  return {
    async original(viewer: Viewer, mediaId: string, wanted: WantedRange = {}) {
      const file = (await store.findFile(sql, viewer, mediaId)) ?? mediaNotFound();
      return serve(file.path, file.content_type, `${file.title}.${file.kind}`, wanted);
    },

    async asset(viewer: Viewer, mediaId: string, name: string) {
      const asset = (await store.findAsset(sql, viewer, mediaId, name)) ?? mediaNotFound();
      return { ...(await serve(asset.path, asset.content_type, name, {})), isImmutable: isThumbnail(name) };
    },
  };

  /** `size` is that of the whole file. */
  async function serve(path: string, contentType: string, filename: string, wanted: WantedRange) {
    const head = await storage.head(path);
    if (!head) mediaNotFound();
    // A stored file never changes.
    const tag = `"${versionOf(path, head.size)}"`;
    const isSame = wanted.ifRange === undefined || wanted.ifRange === tag;
    // A range is not looked at where the answer is 304.
    const range = isSame && !wanted.isKnown?.(tag) ? readRange(wanted.range, head.size) : undefined;
    try {
      const stored = await storage.get(path, range);
      if (!stored) mediaNotFound();
      return { contentType, filename, tag, size: head.size, range, content: stored.content };
    } catch (error) {
      if (!(error instanceof UnsatisfiableRange)) throw error;
      throw rangeRefused(head.size);
    }
  }
}

/** Deletes the files of a folder. Files that a crash leaves behind are found by the sweep of orphaned files. */
export async function deleteFiles(storage: Pick<Storage, 'list' | 'delete'>, folder: string): Promise<void> {
  for await (const { path } of storage.list(`${folder}/`)) await storage.delete(path);
}

/** Parses a header with one byte range. Any other header gets the whole file, as HTTP allows. */
function readRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (start >= size || (from === '' && Number(to) === 0)) throw rangeRefused(size);
  return start > end ? undefined : { start, end };
}

function rangeRefused(size: number): NexusError {
  return new NexusError(
    'E_RANGE_NOT_SATISFIABLE',
    `The range starts after the end of the file, which has ${size} bytes.`,
    { details: { size } },
  );
}
