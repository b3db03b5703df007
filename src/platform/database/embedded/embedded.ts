import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../telemetry/logger.ts';
import { findPackagedServer, type PackagedServer, removeLeftovers } from './binaries.ts';
import {
  type Cluster,
  prepareCluster,
  serverVersionNumber,
  startCluster,
  stopCluster,
  TransientStartFailure,
} from './cluster.ts';
import { type Attempt, acquireHold } from './ownership.ts';

export type EmbeddedServer = Awaited<ReturnType<typeof startEmbedded>>;

interface EmbeddedOptions {
  /** `<data directory>/postgres` */
  directory: string;
  /** The behaviour when another process owns the server: a service refuses to start, a command uses it as a guest. */
  whenOwned: 'refuse' | 'share';
  /** Shown to processes that are refused: `serve`, `keys create`, … */
  purpose: string;
  /** The number of connections that this process may open. */
  poolSize: number;
  /** The server to run; that of this release by default. */
  server?: PackagedServer;
  log: Logger;
}

const DATABASE = 'nexus';
/** Connections for commands and for inspection, in addition to the pool of the process that starts the server. */
const SPARE_CONNECTIONS = 50;
const MIN_CONNECTIONS = 100;
/** Long, because recovery of a large database after a crash can take minutes. */
const READY_TIMEOUT_MS = 15 * 60_000;
/** The time that a service waits for a command that owns the server. It does not wait for another service. */
const COMMAND_TIMEOUT_MS = 30_000;
const WAIT_LOG_INTERVAL_MS = 10_000;
const POLL_MS = 50;

/**
 * Starts the embedded PostgreSQL if it does not run, and keeps it running until `stop`.
 *
 * The server is a daemon that survives when Nexus is killed. An advisory lock on a connection decides which process owns
 * it, never a pid file: a process that gets the lock on a running server owns that server. When the connection is lost,
 * the server has died.
 */
export async function startEmbedded(options: EmbeddedOptions) {
  const { log } = options;
  const server = options.server ?? (await findPackagedServer());
  const cluster = await prepareCluster(server, options.directory, {
    max_connections: String(Math.max(MIN_CONNECTIONS, options.poolSize + SPARE_CONNECTIONS)),
  });
  const stopping = new AbortController();
  const name = `nexus ${options.purpose} (pid ${process.pid})`;
  const seeker = { cluster, log, name, signal: stopping.signal };
  let recovery: Promise<void> | undefined;
  const onLost = () => {
    recovery = recover();
  };
  const accepts = options.whenOwned === 'share' ? () => true : refuseOwned;
  let held = await holdServer({ ...seeker, onLost, accepts });

  function refuseOwned(attempt: HeldServer, waitedMs: number): boolean {
    if (attempt.kind === 'owner') return true;
    const isService = /^nexus serve /.test(attempt.owner);
    if (!isService && waitedMs < COMMAND_TIMEOUT_MS) return false;
    throw new Error(
      `Another Nexus (${attempt.owner}) is using ${options.directory}. ` +
        'Stop it first, or set NEXUS_DATA_DIR to another directory.',
    );
  }

  async function recover(): Promise<void> {
    const wasOwner = held.kind === 'owner';
    if (wasOwner) log.error('PostgreSQL stopped unexpectedly; restarting it');
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      try {
        // A former owner waits until it owns the server again: another owner would stop it when it exits.
        held = await holdServer({ ...seeker, onLost, accepts: ({ kind }) => kind === 'owner' || !wasOwner });
        if (wasOwner) log.info('PostgreSQL runs again');
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.error({ err: error }, 'PostgreSQL could not be started; retrying');
        const delay = Math.min(1000 * 2 ** failures, 30_000);
        await pause(delay, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  if (held.kind === 'owner') {
    await removeLeftovers(cluster.server, cluster.directory).catch((error) => {
      log.warn({ err: error }, 'files of an earlier PostgreSQL version could not be removed');
    });
  }
  return {
    connection: { ...cluster.connection, database: DATABASE },
    /** Releases the server. The last process to do so stops it. */
    async stop(): Promise<void> {
      stopping.abort();
      await recovery;
      if (await held.hold.release()) await stopCluster(cluster);
    },
  };
}

type HeldServer = Extract<Attempt, { kind: 'owner' | 'guest' }>;

interface Seeker {
  cluster: Cluster;
  name: string;
  log: Logger;
  signal: AbortSignal;
  onLost(): void;
  /** Returns whether to keep the hold, or to release it and retry. Throws to give up. */
  accepts(held: HeldServer, waitedMs: number): boolean;
}

/** Connects to the server, and starts it if it does not run, until `accepts` returns true. */
async function holdServer({ cluster, name, log, signal, onLost, accepts }: Seeker): Promise<HeldServer> {
  const begin = Date.now();
  let startedHere = false;
  try {
    for (let nextLog = WAIT_LOG_INTERVAL_MS; ; ) {
      signal.throwIfAborted();
      const attempt = await acquireHold(cluster.connection, DATABASE, name, onLost);
      const waited = Date.now() - begin;
      if (attempt.kind === 'owner' && attempt.hold.serverVersion !== serverVersionNumber(cluster.server)) {
        // A server that an earlier release left running; it must restart with the binaries of this one.
        if (await attempt.hold.release()) await stopCluster(cluster);
      } else if (attempt.kind === 'owner' || attempt.kind === 'guest') {
        if (await accepted(attempt, waited)) return attempt;
      } else if (attempt.kind === 'absent') {
        startedHere = (await tryStart(cluster)) || startedHere;
      }
      if (waited > READY_TIMEOUT_MS)
        throw new Error('PostgreSQL did not become ready within fifteen minutes. See its log.');
      if (waited > nextLog) {
        log.info('waiting for PostgreSQL, which is recovering, stopping, or in use by a command');
        nextLog += WAIT_LOG_INTERVAL_MS;
      }
      await pause(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (startedHere) await stopIfUnused(cluster, name);
    throw error;
  }

  async function accepted(attempt: HeldServer, waited: number): Promise<boolean> {
    let isAccepted = false;
    try {
      isAccepted = accepts(attempt, waited);
      return isAccepted;
    } finally {
      if (!isAccepted && (await attempt.hold.release())) await stopCluster(cluster);
    }
  }
}

/** Stops a server that this process started and does not need, unless another process uses it. */
async function stopIfUnused(cluster: Cluster, name: string): Promise<void> {
  // If this process cannot connect to the server, no other can: then it is unused.
  const attempt = await acquireHold(cluster.connection, DATABASE, name, () => undefined).catch(
    () => undefined,
  );
  const isUsed = attempt !== undefined && 'hold' in attempt && !(await attempt.hold.release());
  if (!isUsed) await stopCluster(cluster);
}

/** Starts the server. Returns false when the start failed and a retry may succeed. */
async function tryStart(cluster: Cluster): Promise<boolean> {
  try {
    await startCluster(cluster);
    return true;
  } catch (error) {
    if (error instanceof TransientStartFailure) return false;
    throw error;
  }
}
