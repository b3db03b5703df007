import { stat } from 'node:fs/promises';
import { countLines, readArchive } from './archive-reader.ts';
import type { BackupOptions, BackupSummary, Progress } from './make-backup.ts';

export interface VerifiedBackup extends BackupSummary {
  digest: string;
}

/** Checks a backup completely, without a database. Throws `E_BACKUP_DAMAGED` for one that is not as it was written. */
export async function verifyBackup(
  file: string,
  { signal, onProgress = () => undefined }: BackupOptions = {},
): Promise<VerifiedBackup> {
  const progress: Progress = { doing: 'verifying', rows: 0, files: 0, bytes: 0 };
  let header: BackupSummary['header'] | undefined;
  for await (const part of readArchive(file, signal)) {
    if (part.kind === 'header') header = part.header;
    if (part.kind === 'rows') {
      progress.rows += countLines(part.data);
      progress.bytes += part.data.length;
    }
    if (part.kind === 'file') {
      progress.files += 1;
      progress.bytes += part.size;
    }
    onProgress(progress);
    if (part.kind === 'end' && header) {
      const { manifest, digest } = part;
      return { header, manifest, digest, bytes: (await stat(file)).size };
    }
  }
  throw new Error('A backup without an end was not refused.');
}
