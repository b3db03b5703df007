import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { Account } from './account.ts';
import { lendDirectory } from './files.ts';

/** A socket's path must fit into 104 bytes on macOS and 108 on Linux. */
const LONGEST_SOCKET_PATH = 103;

/**
 * The directory of the server's Unix socket: beside the data, or, where that path is too long for a socket,
 * a directory in the system's temporary place that only the server's account may enter.
 */
export async function socketDirectory(clusterDir: string, account: Account | undefined): Promise<string> {
  const beside = path.join(clusterDir, 'run');
  const fits = Buffer.byteLength(path.join(beside, '.s.PGSQL.5432.lock')) <= LONGEST_SOCKET_PATH;
  const directory = fits ? beside : path.join(os.tmpdir(), `nexus-${fingerprint(clusterDir)}`);
  await lendDirectory(directory, account);
  return directory;
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
