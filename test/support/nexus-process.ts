import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { atFileEnd, fileDir } from './workspace.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface NexusOptions {
  env?: Record<string, string>;
  /** The directory with the built program; the checkout by default. */
  root?: string;
  cwd?: string;
  uid?: number;
  gid?: number;
  detached?: boolean;
}

export interface NexusProcess {
  child: ChildProcess;
  pid: number;
  /** The output so far. */
  output(): string;
  stdout(): string;
  /** Resolves with the first match in what it prints; fails when it exits without. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  /** The address it listens on. */
  ready(): Promise<string>;
  exited: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The environment of Nexus in tests: the given variables and defaults, and no others of this process. */
export function environment(env: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: fileDir,
    NEXUS_ENV: 'test',
    NEXUS_PORT: '0',
    TEST_FILE_DIR: fileDir,
    // With an external database, files are still kept in a data directory.
    ...(env.NEXUS_DATABASE_URL && { NEXUS_DATA_DIR: path.join(fileDir, 'data') }),
    ...env,
  };
}

/** Starts the built program with an environment that holds only `options.env` and the defaults of tests. */
export function startNexus(args: string[], options: NexusOptions = {}): NexusProcess {
  return start(process.execPath, [path.join(options.root ?? ROOT, 'dist', 'main.js'), ...args], options);
}

/** Runs a command of package.json in a process group of its own, as a terminal does. */
export function npm(args: string[], options: NexusOptions & { root: string }): NexusProcess {
  return start('npm', args, { ...options, cwd: options.root, detached: true });
}

function start(program: string, args: string[], options: NexusOptions): NexusProcess {
  const child = spawn(program, args, {
    cwd: options.cwd ?? '/',
    env: environment(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.detached ?? false,
    ...(options.uid !== undefined && { uid: options.uid, gid: options.gid ?? options.uid }),
  });
  let output = '';
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      child.emit('printed');
    });
  }
  const exited = once(child, 'close').then(([code]) => code as number | null);

  const nexus: NexusProcess = {
    child,
    pid: child.pid ?? -1,
    output: () => output,
    stdout: () => stdout,
    exited,
    async prints(pattern) {
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        const ended = await Promise.race([once(child, 'printed').then(() => false), exited.then(() => true)]);
        if (ended && !pattern.test(output))
          throw new Error(`It exited without printing ${pattern}:\n${output}`);
      }
    },
    ready: async () => (await nexus.prints(/Open +(http\S+)/))[1] ?? '',
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exited;
    },
  };
  atFileEnd(() => nexus.stop('SIGKILL'));
  return nexus;
}

/** Runs a command and waits until it exits. */
export async function runNexus(args: string[], options: NexusOptions = {}) {
  const nexus = startNexus(args, options);
  const code = await nexus.exited;
  return { code, output: nexus.output(), stdout: nexus.stdout() };
}
