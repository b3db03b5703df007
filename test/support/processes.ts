import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface FoundProcess {
  pid: number;
  command: string;
}

/** Finds running processes, except this one, whose command line or environment contains the text. */
export async function processesMentioning(text: string): Promise<FoundProcess[]> {
  const all = process.platform === 'linux' ? await fromProc() : await fromPs();
  return all.filter(({ pid, command }) => pid !== process.pid && command.includes(text));
}

async function fromProc(): Promise<FoundProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const read = (file: string) => readFile(file, 'utf8').catch(() => '');
  return Promise.all(
    pids.map(async (pid) => ({
      pid,
      command: `${await read(`/proc/${pid}/cmdline`)} ${await read(`/proc/${pid}/environ`)}`.replaceAll(
        '\0',
        ' ',
      ),
    })),
  );
}

async function fromPs(): Promise<FoundProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,command='], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .split('\n')
    .map((line) => /^\s*(\d+) (.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, command = '']) => ({ pid: Number(pid), command }));
}

/** Returns the pids of the processes that a process has started and that still run. */
export async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=']);
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid = 0]) => pid);
}

/** Sends a signal to processes. Those that have ended meanwhile, such as the children of a killed one, are left out. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Returns whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
