import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Account, serverAccount } from './account.ts';
import { installServer, moveUnlessTaken, type PackagedServer } from './binaries.ts';
import { exists, isAlive, lendDirectory, makeDirectory, syncDirectory } from './files.ts';
import { socketDirectory } from './socket-directory.ts';

/** A PostgreSQL data directory together with the server that serves it: made, configured, started and stopped here. */
export interface Cluster {
  server: PackagedServer;
  directory: string;
  dataDir: string;
  binDir: string;
  account: Account | undefined;
  /** How to connect: a Unix socket in a directory of its own, and no TCP listener. */
  connection: { host: string; port: number; username: string; password: string };
  settings: Record<string, string>;
}

/** The port only names the socket file. */
const SOCKET_PORT = 5432;
const SUPERUSER = 'nexus';
const STOP_PATIENCE_MS = 30_000;
const STOP_POLL_MS = 20;
const LOG_KEPT_BYTES = 10 * 1024 * 1024;

/**
 * Prepares `directory` so that it can be started, creating it on first use. Safe when two processes do it at once:
 * each builds its own, and an atomic rename or link decides.
 *
 * Under root, only `data`, `run` and `log` belong to the account that runs PostgreSQL. Whatever Nexus itself writes
 * later (settings, password, binaries) lies outside them, so that account can plant nothing for root to follow.
 */
export async function prepareCluster(
  server: PackagedServer,
  directory: string,
  settings: Record<string, string> = {},
): Promise<Cluster> {
  const dataDir = path.join(directory, 'data');
  const account = await serverAccount(dataDir);
  await makeDirectory(path.dirname(directory), account);
  await makeDirectory(directory, account);
  await refuseOtherMajor(dataDir, server);
  await lendDirectory(path.join(directory, 'log'), account);

  const binDir = await installServer(server, directory);
  const password = await ensurePassword(directory);
  const host = await socketDirectory(directory, account);
  const connection = { host, port: SOCKET_PORT, username: SUPERUSER, password };
  const cluster: Cluster = { server, directory, dataDir, binDir, account, connection, settings };
  await refuseUnusableServer(cluster);
  if (!(await exists(dataDir))) await initialise(cluster);
  return cluster;
}

/** `mayPass` says that waiting can help: another server is starting, the last one is not quite gone, or was stopped. */
export class StartFailure extends Error {
  readonly mayPass: boolean;

  constructor(message: string, said: string) {
    super(message);
    this.mayPass =
      /already exists|lock file .* is empty|pre-existing shared memory block|did not start in time|is shut down/.test(
        said,
      );
  }
}

export async function startCluster(cluster: Cluster): Promise<void> {
  await writeSettings(cluster);
  await removeForeignLock(cluster);
  await rotateLog(logFile(cluster));
  const loggedBefore = await sizeOf(logFile(cluster));
  const started = await run(cluster, 'pg_ctl', [
    'start',
    '--silent',
    '--wait',
    '--timeout=60',
    `--pgdata=${cluster.dataDir}`,
    `--log=${logFile(cluster)}`,
    `--options=-c config_file=${shellQuoted(settingsFile(cluster))}`,
  ]);
  if (started.exitCode === 0) return;
  const log = await readFile(logFile(cluster)).catch(() => Buffer.alloc(0));
  const said = `${log.subarray(loggedBefore)}${started.output}`.trim();
  throw new StartFailure(
    `PostgreSQL did not start. It says:\n${said.split('\n').slice(-8).join('\n')}`,
    said,
  );
}

/**
 * Ends the server that runs now, and not the next one: another process may start it again the moment it is gone, which
 * is why this does not leave the waiting to `pg_ctl stop`, which waits for there to be none.
 */
export async function stopCluster(cluster: Cluster): Promise<void> {
  const pid = await runningPid(cluster);
  if (pid === undefined) return;
  // A fast shutdown; and if that takes too long an immediate one, which loses nothing that was committed.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.kill(pid, signal);
    const deadline = Date.now() + STOP_PATIENCE_MS;
    while (Date.now() < deadline) {
      // The server lets go of its lock file a moment before it is gone.
      if (!(await isServer(pid))) return;
      await pause(STOP_POLL_MS);
    }
  }
  throw new Error(`PostgreSQL (pid ${pid}) did not stop; ${logFile(cluster)} may say why.`);
}

/** The server's pid, by its lock file; undefined when the file is absent or was left behind by a killed server. */
async function runningPid(cluster: Cluster): Promise<number | undefined> {
  const pid = await lockedPid(cluster);
  return pid !== undefined && (await isServer(pid)) ? pid : undefined;
}

async function isServer(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const program = await programOf(pid);
  return program === undefined || program === 'postgres';
}

async function lockedPid(cluster: Cluster): Promise<number | undefined> {
  const pid = Number.parseInt(await readFile(lockFile(cluster), 'utf8').catch(() => ''), 10);
  return pid > 0 ? pid : undefined;
}

/** Where the system tells: the name of what runs under a pid, `zombie` for what has ended and not been collected. */
async function programOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const [, program, state] = /\((.*)\) (\S)/s.exec(stat ?? '') ?? [];
  return state === 'Z' ? 'zombie' : program;
}

/** `180004` for a packaged `18.4.0-beta.17`: PostgreSQL's own way to write its version as a number. */
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
      `${dataDir} is not a PostgreSQL data directory. Move it away, or choose another NEXUS_DATA_DIR.`,
    );
  }
  throw new Error(
    `${dataDir} was written by PostgreSQL ${written.trim()}, and this Nexus brings PostgreSQL ${server.major}, which cannot read it. ` +
      'Run the Nexus release that wrote it, or follow "Moving to another PostgreSQL" in docs/embedded-postgresql.md. ' +
      'Nothing was changed.',
  );
}

/** Runs the server's own `--version` as the account that will run it: the cheapest proof that it can. */
async function refuseUnusableServer(cluster: Cluster): Promise<void> {
  const { exitCode, output } = await run(cluster, 'postgres', ['--version']).catch((error) => ({
    exitCode: 1,
    output: (error as Error).message,
  }));
  if (exitCode === 0) return;
  const who = cluster.account
    ? `the account ${cluster.account.name}, which runs PostgreSQL for root,`
    : 'PostgreSQL';
  throw new Error(
    `${who} cannot run ${cluster.binDir}/postgres (${output.trim()}). ` +
      'Choose a NEXUS_DATA_DIR that it may enter, or set NEXUS_DATABASE_URL to a PostgreSQL server.',
  );
}

async function initialise(cluster: Cluster): Promise<void> {
  const unfinished = path.join(cluster.directory, `unfinished-data-${process.pid}`);
  await rm(unfinished, { recursive: true, force: true });
  await lendDirectory(unfinished, cluster.account);
  const passwordCopy = path.join(cluster.directory, `unfinished-password-${process.pid}`);
  await writeFile(passwordCopy, cluster.connection.password, { mode: 0o600 });
  if (cluster.account) await chown(passwordCopy, cluster.account.uid, cluster.account.gid);
  // The built-in C.UTF-8 sorts the same on every machine, so an upgrade of the operating system cannot spoil an index.
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

/** The password keeps other users of the machine out. */
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
    '# Nexus writes this file at every start. Your own settings go into local.conf beside it.',
    ...Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`),
    "include_if_exists = 'local.conf'",
    '',
  ].join('\n');
  // Written beside and renamed, so that a server that is starting never reads half a file; readable by the account
  // that runs it, whatever the umask says.
  const draft = path.join(cluster.directory, `unfinished-settings-${process.pid}`);
  await writeFile(draft, text);
  await chmod(draft, 0o644);
  await rename(draft, settingsFile(cluster));
}

/**
 * After a power loss PostgreSQL's lock file may name a pid that belongs to another program by now, and PostgreSQL,
 * which can only ask whether that pid is alive, would refuse to start for ever. Where the system says what the
 * pid runs, and it is no postgres, the lock is void.
 */
async function removeForeignLock(cluster: Cluster): Promise<void> {
  const pid = await lockedPid(cluster);
  if (pid === undefined || !isAlive(pid)) return;
  if ((await runningPid(cluster)) === undefined) await rm(lockFile(cluster), { force: true });
}

async function rotateLog(file: string): Promise<void> {
  if ((await sizeOf(file)) > LOG_KEPT_BYTES) await rename(file, `${file}.1`);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  );
}

function logFile(cluster: Cluster): string {
  return path.join(cluster.directory, 'log', 'postgres.log');
}

function lockFile(cluster: Cluster): string {
  return path.join(cluster.dataDir, 'postmaster.pid');
}

function settingsFile(cluster: Cluster): string {
  return path.join(cluster.directory, 'postgresql.conf');
}

/** pg_ctl hands its options to a shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

interface Finished {
  exitCode: number | null;
  output: string;
}

/** Runs one of the server's programs under its account, with none of the caller's PG* variables. */
function run(cluster: Cluster, program: string, args: string[]): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(cluster.binDir, program), args, {
      cwd: cluster.directory,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(cluster.account && { uid: cluster.account.uid, gid: cluster.account.gid }),
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}
