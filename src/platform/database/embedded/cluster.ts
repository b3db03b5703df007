import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installServer, moveUnlessTaken, type PackagedServer } from './binaries.ts';
import {
  type Account,
  createOwnDirectory,
  createServerDirectory,
  exists,
  isAlive,
  serverAccount,
  socketDirectory,
  syncDirectory,
} from './files.ts';
import { finishUpgrade } from './finish-upgrade.ts';

/** A PostgreSQL data directory and its server. */
export interface Cluster {
  server: PackagedServer;
  directory: string;
  dataDir: string;
  binDir: string;
  files: { log: string; lock: string; socketLock: string; settings: string };
  account: Account | undefined;
  /** A Unix socket in a separate directory. The server has no TCP listener. */
  connection: { host: string; port: number; username: string; password: string };
  settings: Record<string, string>;
}

/** Only used in the name of the socket file. */
const SOCKET_PORT = 5432;
const SUPERUSER = 'nexus';
const STOP_TIMEOUT_MS = 30_000;
const STOP_POLL_MS = 20;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/**
 * Prepares a cluster in `directory`, and creates it on first use. Parallel processes are safe: each builds its own files,
 * and an atomic rename or link decides which are used.
 *
 * Under root, only `data`, `run` and `log` belong to the account that runs PostgreSQL. The files that root writes
 * (settings, password, binaries) are outside them, so that this account cannot plant links for root to follow.
 */
export async function prepareCluster(
  server: PackagedServer,
  directory: string,
  settings: Record<string, string> = {},
): Promise<Cluster> {
  await finishUpgrade(directory);
  const dataDir = path.join(directory, 'data');
  const account = await serverAccount(dataDir);
  await createOwnDirectory(path.dirname(directory), account);
  await createOwnDirectory(directory, account);
  await refuseOtherMajor(dataDir, server);
  await createServerDirectory(path.join(directory, 'log'), account);

  const binDir = await installServer(server, directory);
  const password = await ensurePassword(directory);
  const host = await socketDirectory(directory, account);
  const connection = { host, port: SOCKET_PORT, username: SUPERUSER, password };
  const files = {
    log: path.join(directory, 'log', 'postgres.log'),
    lock: path.join(dataDir, 'postmaster.pid'),
    socketLock: path.join(host, `.s.PGSQL.${SOCKET_PORT}.lock`),
    settings: path.join(directory, 'postgresql.conf'),
  };
  const cluster: Cluster = { server, directory, dataDir, binDir, files, account, connection, settings };
  await refuseUnusableServer(cluster);
  if (!(await exists(dataDir))) await initialise(cluster);
  return cluster;
}

/** The output when another server is starting, or the previous one has not quite ended. */
const TRANSIENT =
  /already exists|lock file .* is empty|pre-existing shared memory block|did not start in time|is shut down/;

/** The server did not start, and a retry may succeed. */
export class TransientStartFailure extends Error {}

export async function startCluster(cluster: Cluster): Promise<void> {
  const { log: logFile, settings } = cluster.files;
  await writeSettings(cluster);
  await removeStaleLocks(cluster);
  if ((await sizeOf(logFile)) > MAX_LOG_BYTES) await rename(logFile, `${logFile}.1`);
  const loggedBefore = await sizeOf(logFile);
  const started = await run(cluster, 'pg_ctl', [
    'start',
    '--silent',
    '--wait',
    '--timeout=60',
    `--pgdata=${cluster.dataDir}`,
    `--log=${logFile}`,
    `--options=-c config_file=${shellQuoted(settings)}`,
  ]);
  if (started.exitCode === 0) return;
  const log = await readFile(logFile).catch(() => Buffer.alloc(0));
  const output = `${log.subarray(loggedBefore)}${started.output}`.trim();
  // The server gives its own reason as FATAL. Without one, the output is about another server.
  const reasons = output.split('\n').filter((line) => /FATAL|PANIC/.test(line));
  const isTransient = TRANSIENT.test(reasons.length > 0 ? reasons.join('\n') : output);
  const Failure = isTransient ? TransientStartFailure : Error;
  throw new Failure(`PostgreSQL did not start. Its output:\n${output.split('\n').slice(-8).join('\n')}`);
}

/**
 * Stops the server that runs now. It does not use `pg_ctl stop`, which waits until no server runs: another process may
 * start the next one as soon as this one has ended.
 */
export async function stopCluster({
  files,
}: {
  files: Pick<Cluster['files'], 'lock' | 'log'>;
}): Promise<void> {
  const pid = await lockedPid(files.lock);
  if (pid === undefined || !(await isServer(pid))) return;
  // A fast shutdown first. If it takes too long, an immediate one, which loses no committed data.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.kill(pid, signal);
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (Date.now() < deadline) {
      // Checks the process, because the server removes its lock file a moment before it ends.
      if (!(await isServer(pid))) return;
      await pause(STOP_POLL_MS);
    }
  }
  throw new Error(`PostgreSQL (pid ${pid}) did not stop. See ${files.log}.`);
}

/** Whether a process is a PostgreSQL server that has not ended. Without /proc, any process that exists counts as one. */
async function isServer(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, program = 'postgres', state] = /\((.*)\) (\S)/s.exec(status) ?? [];
  return program === 'postgres' && state !== 'Z';
}

/** Returns the pid in a lock file, which may be stale; undefined when there is no file. */
async function lockedPid(lockFile: string): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  return pid > 0 ? pid : undefined;
}

/** Returns the version in the format of `server_version_num`: 180004 for `18.4.0-beta.17`. */
export function serverVersionNumber(server: PackagedServer): number {
  const [major = 0, minor = 0] = server.version.split('.').map((part) => Number.parseInt(part, 10));
  return major * 10_000 + minor;
}

async function refuseOtherMajor(dataDir: string, server: PackagedServer): Promise<void> {
  if (!(await exists(dataDir))) return;
  const written = await readFile(path.join(dataDir, 'PG_VERSION'), 'utf8').catch(() => '');
  if (written.trim() === String(server.major)) return;
  if (written === '') {
    throw new Error(
      `${dataDir} is not a PostgreSQL data directory. Move it away, or set NEXUS_DATA_DIR to another directory.`,
    );
  }
  throw new Error(
    `${dataDir} was written by PostgreSQL ${written.trim()}. This release contains PostgreSQL ${server.major}, which cannot read it. ` +
      'Run `nexus upgrade-database`, or the Nexus release that wrote it. See docs/embedded-postgresql.md. ' +
      'Nothing was changed.',
  );
}

/** Throws when the account cannot run the server. `--version` is the cheapest test. */
async function refuseUnusableServer(cluster: Cluster): Promise<void> {
  const { exitCode, output } = await run(cluster, 'postgres', ['--version']).catch((error) => ({
    exitCode: 1,
    output: (error as Error).message,
  }));
  if (exitCode === 0) return;
  const { name } = cluster.account ?? {};
  const who = name ? `the account ${name}, which runs PostgreSQL for root,` : 'PostgreSQL';
  throw new Error(
    `${who} cannot run ${cluster.binDir}/postgres (${output.trim()}). ` +
      'Set NEXUS_DATA_DIR to a directory that it may enter, or set NEXUS_DATABASE_URL to a PostgreSQL server.',
  );
}

async function initialise(cluster: Cluster): Promise<void> {
  const unfinished = path.join(cluster.directory, `unfinished-data-${process.pid}`);
  await rm(unfinished, { recursive: true, force: true });
  await createServerDirectory(unfinished, cluster.account);
  const passwordCopy = path.join(cluster.directory, `unfinished-password-${process.pid}`);
  await writeFile(passwordCopy, cluster.connection.password, { mode: 0o600 });
  if (cluster.account) await chown(passwordCopy, cluster.account.uid, cluster.account.gid);
  // The built-in C.UTF-8 sorts the same on every machine, so an upgrade of the operating system cannot corrupt an index.
  const locale =
    cluster.server.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--locale=C'];
  const { exitCode, output } = await run(cluster, 'initdb', [
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordCopy}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...locale,
    '--no-instructions',
  ]);
  await rm(passwordCopy);
  if (exitCode !== 0) throw new Error(`PostgreSQL could not create its data directory: ${output}`);
  await moveUnlessTaken(unfinished, cluster.dataDir);
  await syncDirectory(cluster.directory);
}

/** Creates the password, which keeps other users of the machine out. Of parallel processes, one creates it. */
async function ensurePassword(directory: string): Promise<string> {
  const file = path.join(directory, 'password');
  if (!(await exists(file))) {
    const draft = path.join(directory, `unfinished-password-draft-${process.pid}`);
    await writeFile(draft, randomBytes(24).toString('base64url'), { mode: 0o600 });
    await link(draft, file).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(draft);
  }
  return readFile(file, 'utf8');
}

async function writeSettings(cluster: Cluster): Promise<void> {
  const settings: Record<string, string> = {
    listen_addresses: '',
    port: String(cluster.connection.port),
    unix_socket_directories: cluster.connection.host,
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...cluster.settings,
  };
  const text = [
    '# Nexus writes this file at every start. Put your own settings into local.conf in the same directory.',
    ...Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`),
    "include_if_exists = 'local.conf'",
    '',
  ].join('\n');
  // Renamed into place, so that a starting server never reads a partial file. Readable for the account that runs the
  // server, whatever the umask is.
  const draft = path.join(cluster.directory, `unfinished-settings-${process.pid}`);
  await writeFile(draft, text);
  await chmod(draft, 0o644);
  await rename(draft, cluster.files.settings);
}

/**
 * Removes stale lock files. PostgreSQL does not start while the process that a lock file names exists, even if it is another
 * program, or a killed server that nobody has waited for: in a container, Nexus is process 1 and waits only for its own.
 */
async function removeStaleLocks({ files }: Cluster): Promise<void> {
  for (const lockFile of [files.lock, files.socketLock]) {
    const pid = await lockedPid(lockFile);
    if (pid !== undefined && isAlive(pid) && !(await isServer(pid))) await rm(lockFile, { force: true });
  }
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  );
}

/** Quotes text for a shell, to which pg_ctl passes its options. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Runs a program of the server as its account, without the PG* variables of this process. */
function run(cluster: Cluster, program: string, args: string[]) {
  return new Promise<{ exitCode: number | null; output: string }>((resolve, reject) => {
    const child = spawn(path.join(cluster.binDir, program), args, {
      cwd: cluster.directory,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(cluster.account && { uid: cluster.account.uid, gid: cluster.account.gid }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}
