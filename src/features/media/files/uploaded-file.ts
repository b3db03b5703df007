import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { NexusError } from '../../../contract/errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { type Storage, UnexpectedSize } from '../../../platform/storage/storage.ts';
import * as store from './upload-store.ts';

/** The content type of each kind, and the first bytes of its files. */
export const UPLOAD_KINDS = {
  pdf: { contentType: 'application/pdf', begins: '%PDF-' },
  epub: { contentType: 'application/epub+zip', begins: 'PK\x03\x04' },
};
export type UploadKind = keyof typeof UPLOAD_KINDS;

const HEAD_BYTES = 1024;

export function uploadKind(kind: string): UploadKind {
  if (kind === 'pdf' || kind === 'epub') return kind;
  throw new NexusError(
    'E_INVALID_KIND',
    'kind must be pdf or epub. Save pages and videos by their URL instead.',
  );
}

/** Whether a stored file starts like a file of its kind. Reads only its first bytes; undefined when there is no file. */
export async function beginsLike(kind: UploadKind, storage: Storage, path: string) {
  const stored = await storage.get(path, { start: 0, end: HEAD_BYTES - 1 });
  if (!stored) return undefined;
  const head = (await buffer(stored.content)).subarray(0, HEAD_BYTES);
  const { begins } = UPLOAD_KINDS[kind];
  // A PDF may have some bytes before its header; an archive may not.
  return kind === 'pdf' ? head.includes(begins) : head.toString('latin1').startsWith(begins);
}

/**
 * Stores the file of an upload, once. Each caller writes to its own path and hashes what it writes; under the lock of the
 * upload, one of them moves its file to its final path. The hash is therefore that of the stored bytes, even when
 * somebody sends other bytes in parallel or later.
 */
export async function receiveUpload(
  { sql, storage }: { sql: Database; storage: Storage },
  upload: store.Upload,
  content: Readable,
): Promise<void> {
  requireUnspent(upload);
  const { media_id, path, content_type: contentType, size_bytes: size } = upload;
  const incoming = `media/${media_id}/incoming-${newId()}`;
  const hash = createHash('sha256');
  try {
    await storage.put(incoming, hashed(content, hash), { contentType, size });
    const sha256 = hash.digest('hex');
    await transaction(sql, async (tx) => {
      requireUnspent((await store.lockUpload(tx, media_id)) ?? upload);
      await store.markReceived(tx, media_id, sha256);
      await storage.move(incoming, path);
    });
  } catch (error) {
    await storage.delete(incoming);
    if (!(error instanceof UnexpectedSize)) throw error;
    throw new NexusError('E_FILE_TOO_LARGE', `The file does not have the announced size of ${size} bytes.`);
  }
}

function requireUnspent({ status, received_at }: store.Upload): void {
  if (status === 'expired') uploadExpired();
  if (status === 'open' && received_at === null) return;
  throw new NexusError(
    'E_UPLOAD_SPENT',
    'A file was already uploaded here. Start a new upload to send another one.',
  );
}

export function uploadExpired(): never {
  throw new NexusError('E_UPLOAD_EXPIRED', 'This upload has expired. Start a new one.');
}

async function* hashed(content: Readable, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
}
