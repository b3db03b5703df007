import { access, chmod, constants, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isAlive, processesMentioning } from './processes.ts';

/** Linux has a file system in memory here. */
const MEMORY = '/dev/shm';
/** All files of a run take about a third of it. */
const ROOM_BYTES = 6 * 1024 ** 3;

/** Creates the directory of a run of tests, in memory if possible: a database is created there in a tenth of the time. */
export async function createRunDirectory(): Promise<string> {
  const parent = (await canUseMemory()) ? MEMORY : os.tmpdir();
  await removeAbandoned(parent);
  const directory = await mkdtemp(path.join(parent, `nexus-test-${process.pid}-`));
  // When the tests run as root, the account that runs PostgreSQL has to pass through it.
  await chmod(directory, 0o711);
  return directory;
}

/** Removes what runs that were killed have left, which takes memory. */
export async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid] = /^nexus-test-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const directory = path.join(parent, name);
    try {
      for (const left of await processesMentioning(directory)) process.kill(left.pid, 'SIGKILL');
      await rm(directory, { recursive: true, force: true });
    } catch {
      // It belongs to somebody else.
    }
  }
}

async function canUseMemory(): Promise<boolean> {
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    // PostgreSQL runs from the directory; containers often forbid that here.
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
    const mount = mounts.find(([, place]) => place === MEMORY);
    return bavail * bsize > ROOM_BYTES && mount !== undefined && !mount[3]?.split(',').includes('noexec');
  } catch {
    return false;
  }
}
