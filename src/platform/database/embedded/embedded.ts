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
import { type Settled, takeOwnership } from './ownership.ts';

export interface EmbeddedServer {
  connection: Cluster['connection'] & { database: string };
  /** Stops the server, unless another Nexus looks after it. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** `<data directory>/postgres` */
  directory: string;
  /** What to do when another Nexus owns the server: a service refuses to start, a command uses it as a guest. */
  whenOwned: 'refuse' | 'share';
  /** Shown to whoever is refused: `serve`, `keys create`, … */
  purpose: string;
  log: Logger;
}

const DATABASE = 'nexus';
/** Replaying the log of a large database after a crash takes its time. */
const PATIENCE_MS = 15 * 60_000;
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
  const cluster = await prepareCluster(await findPackagedServer(), options.directory);
  const connection = { ...cluster.connection, database: DATABASE };
  let stopping = false;
  let ownership = await claim();

  if (ownership.kind === 'taken') {
    if (options.whenOwned === 'refuse') {
      throw new Error(
        `Another Nexus (${ownership.holder}) is using ${options.directory}. ` +
          'Stop it first, or set NEXUS_DATA_DIR to another directory.',
      );
    }
    return { connection, stop: async () => undefined };
  }
  await removeLeftovers(cluster.server, cluster.directory);
  let recovery: Promise<void> | undefined;

  function claim(): Promise<Settled> {
    return ensureOwned(cluster, `nexus ${options.purpose} (pid ${process.pid})`, log, () => {
      recovery = recover();
    });
  }

  async function recover(): Promise<void> {
    if (stopping) return;
    log.error('PostgreSQL stopped unexpectedly; starting it again');
    for (let failures = 0; !stopping; failures++) {
      try {
        ownership = await claim();
        if (ownership.kind === 'taken') log.error(`${ownership.holder} has taken the PostgreSQL server over`);
        else log.info('PostgreSQL is back');
        return;
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be started; trying again');
        await pause(Math.min(1000 * 2 ** failures, 30_000));
      }
    }
  }

  return {
    connection,
    async stop() {
      stopping = true;
      await recovery;
      if (ownership.kind === 'taken') return;
      await stopCluster(cluster);
      await ownership.release();
    },
  };
}

/** Connects to the server, starting it if it is not there, and takes ownership of it if nobody has. */
async function ensureOwned(
  cluster: Cluster,
  holder: string,
  log: Logger,
  onLost: () => void,
): Promise<Settled> {
  const begin = Date.now();
  for (let nextWord = SILENT_MS; ; ) {
    const ownership = await takeOwnership(cluster.connection, DATABASE, holder, onLost);
    if (ownership.kind === 'taken') return ownership;
    if (ownership.kind === 'owned' && ownership.serverVersion === serverVersionNumber(cluster.server))
      return ownership;
    if (ownership.kind === 'owned') {
      // An orphan of an earlier release; the data directory is the same, the binaries are not.
      await ownership.release();
      await stopCluster(cluster);
    }
    if (ownership.kind === 'absent') await startUnlessBusy(cluster);
    const waited = Date.now() - begin;
    if (waited > PATIENCE_MS)
      throw new Error('PostgreSQL has not become ready for fifteen minutes; its log may say why.');
    if (waited > nextWord) {
      log.info('waiting for PostgreSQL, which is recovering or has not quite stopped');
      nextWord += SILENT_MS;
    }
    await pause(POLL_MS);
  }
}

async function startUnlessBusy(cluster: Cluster): Promise<void> {
  try {
    await startCluster(cluster);
  } catch (error) {
    if (!(error instanceof StartFailure && error.mayPass)) throw error;
  }
}
