import type { Command } from 'commander';
import { bootstrap, type SeededKeys } from '../app/bootstrap.ts';
import { type Config, parseConfig, readEnvironment } from '../app/config.ts';
import { type OpenDatabase, openMigratedDatabase } from '../app/database.ts';
import { listen } from '../app/listen.ts';
import { createNexus } from '../app/nexus.ts';
import { createResources } from '../app/resources.ts';
import { untilStopped } from '../app/shutdown.ts';
import type { SignInLink } from '../features/identity/sign-in-links.ts';
import { createLogger, type Logger } from '../platform/telemetry/logger.ts';
import { NEXUS_VERSION } from '../platform/version.ts';
import { print } from './output.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run Nexus until it is told to stop')
    .option('--no-worker', 'serve requests only, and leave jobs to `nexus worker` processes')
    .action(async (options: { worker: boolean }) => {
      const config = parseConfig(readEnvironment());
      const log = createLogger(config.log);
      for (const name of config.unknownVariables)
        log.warn(`${name} is set, but Nexus knows no such variable`);
      await serve(config, log, options.worker);
    });
}

async function serve(config: Config, log: Logger, withWorker: boolean): Promise<void> {
  const stopped = untilStopped(() => process.exit(1));
  log.info(config.databaseUrl ? 'connecting to the database' : `starting PostgreSQL in ${config.dataDir}`);
  const database = await openMigratedDatabase(config, { log, purpose: 'serve', whenOwned: 'refuse' });
  try {
    await serveUntil(stopped, { config, database, log, withWorker });
  } finally {
    await database.close();
  }
  log.info('stopped');
}

interface ServeOptions {
  config: Config;
  database: OpenDatabase;
  log: Logger;
  withWorker: boolean;
}

async function serveUntil(
  stopped: Promise<string>,
  { config, database, log, withWorker }: ServeOptions,
): Promise<void> {
  const { sql, listenAt, migrations, place } = database;
  const resources = createResources({ config, log });
  const nexus = createNexus({ config, sql, log, listenAt, resources });
  const { services } = nexus;
  try {
    await resources.open();
    const keys = await bootstrap({ config, sql, log, users: services.users });
    await nexus.start();
    const shell = await nexus.httpServer({ migrations });
    try {
      const address = await listen(shell.server, { ...config, variable: 'NEXUS_PORT' });
      const worker = withWorker ? await nexus.engine.work(config.worker) : undefined;
      const firstLink = await services.signInLinks.createForFirstAdmin();
      const open = config.publicUrl ?? address;
      print(welcome({ open, address, place, keys, firstLink }));
      const signal = await stopped;
      log.info(`${signal}: finishing what is under way`);
      await Promise.all([shell.drain.start(config.shutdownGraceSeconds * 1000), worker?.stop()]);
    } finally {
      await shell.server.close();
    }
  } finally {
    await nexus.close();
    await resources.close();
  }
}

interface Welcome {
  /** Where people reach Nexus; `address` is where it listens. */
  open: string;
  address: string;
  place: string;
  keys: SeededKeys;
  firstLink: SignInLink | undefined;
}

function welcome({ open, address, place, keys, firstLink }: Welcome): string {
  const signIn = firstLink
    ? [
        `  Sign in   ${open}${firstLink.path}`,
        `            signs you in as ${firstLink.username}, once, until ${firstLink.expires_at.toISOString()}`,
      ]
    : [];
  const tryIt = keys.admin
    ? [`  Try       curl -H 'X-Nexus-API-Key: ${keys.admin}' ${address}/api/v1/auth/whoami`]
    : [];
  return [
    '',
    `  Nexus ${NEXUS_VERSION} is ready.`,
    '',
    `  Open      ${open}`,
    ...signIn,
    ...tryIt,
    `  Data      ${place}`,
    '  Stop      Ctrl-C',
    '',
  ].join('\n');
}
