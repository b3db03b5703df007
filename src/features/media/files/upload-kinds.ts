import { NexusError } from '../../../contract/errors.ts';
import type { Storage } from '../../../platform/storage/storage.ts';

/** The content types of each kind, and the first bytes of its files. */
export const UPLOAD_KINDS = {
  pdf: { contentTypes: ['application/pdf'], extension: 'pdf', begins: '%PDF-' },
  epub: { contentTypes: ['application/epub+zip'], extension: 'epub', begins: 'PK\x03\x04' },
} as const;
export type UploadKind = keyof typeof UPLOAD_KINDS;

const HEAD_BYTES = 1024;

export function uploadKind(kind: string): UploadKind {
  if (kind === 'pdf' || kind === 'epub') return kind;
  throw new NexusError(
    'E_INVALID_KIND',
    'kind must be pdf or epub. Save pages and videos by their URL instead.',
  );
}

/**
 * Whether the stored file starts like a file of its kind. Reads only its first bytes; undefined when there is no file.
 */
export async function beginsLike(
  kind: UploadKind,
  storage: Pick<Storage, 'get'>,
  path: string,
): Promise<boolean | undefined> {
  const stored = await storage.get(path, { start: 0, end: HEAD_BYTES - 1 });
  if (!stored) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of stored.content as AsyncIterable<Buffer>) chunks.push(chunk);
  const head = Buffer.concat(chunks).subarray(0, HEAD_BYTES);
  const { begins } = UPLOAD_KINDS[kind];
  // A PDF may have some bytes before its header; an archive may not.
  return kind === 'pdf' ? head.includes(begins) : head.toString('latin1').startsWith(begins);
}
