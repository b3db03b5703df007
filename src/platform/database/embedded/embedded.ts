import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../telemetry/logger.ts';
import { findPackagedServer, removeLeftovers } from './binaries.ts';
import {
  type Cluster,
  prepareCluster,
  StartFailure,
  serverVersionNumber,
  startCluster,
  stopCluster,
} from './cluster.ts';
import { type Attempt, takeHold } from './ownership.ts';

export interface EmbeddedServer {
  connection: Cluster['connection'] & { database: string };
  /** Lets go of the server; the last one to do so stops it. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** `<data directory>/postgres` */
  directory: string;
  /** What to do when another Nexus looks after the server: a service refuses to start, a command uses it as a guest. */
  whenOwned: 'refuse' | 'share';
  /** Shown to whoever is refused: `serve`, `keys create`, … */
  purpose: string;
  /** How many connections the process may open. */
  poolSize: number;
  log: Logger;
}

const DATABASE = 'nexus';
/** Beside the pool of the process that starts the server, room for commands and for looking in. */
const SPARE_CONNECTIONS = 50;
const FEWEST_CONNECTIONS = 100;
/** Replaying the log of a large database after a crash takes its time. */
const PATIENCE_MS = 15 * 60_000;
/** Commands come and go; a service that has the server keeps it. */
const PATIENCE_WITH_COMMANDS_MS = 30_000;
const SILENT_MS = 10_000;
const POLL_MS = 50;

/**
 * Makes sure that the embedded PostgreSQL runs, and keeps it running until `stop`.
 *
 * The server is a daemon that outlives a killed Nexus. Who looks after it is decided by an advisory lock that
 * lives and dies with a connection, never by a pid file: a Nexus that takes the lock on a server it did not
 * start has simply adopted it. Losing that connection is also how the death of the server is noticed.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log } = options;
  const cluster = await prepareCluster(await findPackagedServer(), options.directory, {
    max_connections: String(Math.max(FEWEST_CONNECTIONS, options.poolSize + SPARE_CONNECTIONS)),
  });
  const stopping = new AbortController();
  const seeker = {
    cluster,
    log,
    name: `nexus ${options.purpose} (pid ${process.pid})`,
    signal: stopping.signal,
  };
  let recovery: Promise<void> | undefined;
  const onLost = () => {
    recovery = recover();
  };
  let held = await holdServer({
    ...seeker,
    onLost,
    accepts: options.whenOwned === 'share' ? () => true : refuseOwned,
  });

  function refuseOwned(attempt: HeldServer, waitedMs: number): boolean {
    if (attempt.kind === 'owner') return true;
    const isService = /^nexus serve /.test(attempt.owner);
    if (!isService && waitedMs < PATIENCE_WITH_COMMANDS_MS) return false;
    throw new Error(
      `Another Nexus (${attempt.owner}) is using ${options.directory}. ` +
        'Stop it first, or set NEXUS_DATA_DIR to another directory.',
    );
  }

  async function recover(): Promise<void> {
    const wasOwner = held.kind === 'owner';
    if (wasOwner) log.error('PostgreSQL stopped unexpectedly; starting it again');
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      try {
        // Whoever has taken the server meanwhile lets it go again, and stops it: only an owner can rely on it.
        held = await holdServer({ ...seeker, onLost, accepts: ({ kind }) => kind === 'owner' || !wasOwner });
        if (wasOwner) log.info('PostgreSQL is back');
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.error({ err: error }, 'PostgreSQL could not be started; trying again');
        await pause(Math.min(1000 * 2 ** failures, 30_000), undefined, { signal: stopping.signal }).catch(
          () => undefined,
        );
      }
    }
  }

  if (held.kind === 'owner') {
    await removeLeftovers(cluster.server, cluster.directory).catch((error) => {
      log.warn({ err: error }, 'files of an earlier PostgreSQL could not be removed');
    });
  }
  return {
    connection: { ...cluster.connection, database: DATABASE },
    async stop() {
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
  /** Whether to take what was found, or to let it go and try again; throws to give up. */
  accepts(held: HeldServer, waitedMs: number): boolean;
}

/** Connects to the server, starting it if it is not there, until it can be held in the way that is asked for. */
async function holdServer({ cluster, name, log, signal, onLost, accepts }: Seeker): Promise<HeldServer> {
  const begin = Date.now();
  let startedHere = false;
  try {
    for (let nextWord = SILENT_MS; ; ) {
      signal.throwIfAborted();
      const attempt = await takeHold(cluster.connection, DATABASE, name, onLost);
      const waited = Date.now() - begin;
      if (attempt.kind === 'owner' && attempt.hold.serverVersion !== serverVersionNumber(cluster.server)) {
        // An orphan of an earlier release; the data directory is the same, the binaries are not.
        if (await attempt.hold.release()) await stopCluster(cluster);
      } else if (attempt.kind === 'owner' || attempt.kind === 'guest') {
        if (await accepted(attempt, waited)) return attempt;
      } else if (attempt.kind === 'absent') {
        startedHere = (await startUnlessBusy(cluster)) || startedHere;
      }
      if (waited > PATIENCE_MS)
        throw new Error('PostgreSQL has not become ready for fifteen minutes; its log may say why.');
      if (waited > nextWord) {
        log.info('waiting for PostgreSQL, which is recovering, stopping, or in use by a command');
        nextWord += SILENT_MS;
      }
      await pause(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (startedHere) await leaveServer(cluster, name);
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

/** Stops a server that was started for nothing, unless somebody else has come to use it. */
async function leaveServer(cluster: Cluster, name: string): Promise<void> {
  // Nobody can take hold of a server that this process cannot: then it is nobody's, and is stopped.
  const attempt = await takeHold(cluster.connection, DATABASE, name, () => undefined).catch(() => undefined);
  const isUsed = attempt !== undefined && 'hold' in attempt && !(await attempt.hold.release());
  if (!isUsed) await stopCluster(cluster);
}

/** True when this call started it. */
async function startUnlessBusy(cluster: Cluster): Promise<boolean> {
  try {
    await startCluster(cluster);
    return true;
  } catch (error) {
    if (error instanceof StartFailure && error.mayPass) return false;
    throw error;
  }
}
