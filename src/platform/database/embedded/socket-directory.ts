import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { Account } from './account.ts';
import { createServerDirectory } from './files.ts';

/** The path of a socket, with its final NUL, must fit into 104 bytes on macOS and 108 on Linux. */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Creates the directory of the server's Unix socket: next to the data, or, if that path is too long for a socket, in the
 * temporary directory. Only the server's account may enter it.
 */
export async function socketDirectory(clusterDir: string, account: Account | undefined): Promise<string> {
  const preferred = path.join(clusterDir, 'run');
  const fits = Buffer.byteLength(path.join(preferred, '.s.PGSQL.5432.lock')) <= MAX_SOCKET_PATH_BYTES;
  const directory = fits ? preferred : path.join(os.tmpdir(), `nexus-${fingerprint(clusterDir)}`);
  await createServerDirectory(directory, account);
  return directory;
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
