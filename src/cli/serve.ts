import type { Command } from 'commander';
import { bootstrap, type SeededKeys } from '../app/bootstrap.ts';
import { type Config, parseConfig, readEnvironment } from '../app/config.ts';
import { type OpenDatabase, openMigratedDatabase } from '../app/database.ts';
import { createNexus } from '../app/nexus.ts';
import { createResources } from '../app/resources.ts';
import { untilStopped } from '../app/shutdown.ts';
import type { SignInLink } from '../features/identity/sign-in-links.ts';
import type { HttpServer } from '../http/http-server.ts';
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
    await serveUntil(stopped, config, database, log, withWorker);
  } finally {
    await database.close();
  }
  log.info('stopped');
}

async function serveUntil(
  stopped: Promise<string>,
  config: Config,
  { sql, listenAt, migrations, place }: OpenDatabase,
  log: Logger,
  withWorker: boolean,
): Promise<void> {
  const resources = createResources({ config, log });
  const nexus = createNexus({ config, sql, log, listenAt, resources });
  const { services } = nexus;
  try {
    await resources.open();
    const keys = await bootstrap({ config, sql, log, users: services.users });
    await nexus.start();
    const shell = await nexus.httpServer({ migrations });
    try {
      const address = await listen(shell.server, config);
      const worker = withWorker ? await nexus.engine.work(config.worker) : undefined;
      const firstLink = await services.signInLinks.createForFirstAdmin();
      print(welcome(config, address, place, keys, firstLink));
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

async function listen(server: HttpServer, { host, port }: Config): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Error(`Port ${port} on ${host} is taken. Stop what uses it, or set NEXUS_PORT to another.`);
    }
    if (code === 'EACCES') {
      throw new Error(`Port ${port} may not be used by this account. Set NEXUS_PORT to one above 1023.`);
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new Error(`NEXUS_HOST is ${host}, which is no address of this machine.`);
    }
    throw error;
  }
}

function welcome(
  config: Config,
  address: string,
  place: string,
  keys: SeededKeys,
  firstLink: SignInLink | undefined,
): string {
  const open = config.publicUrl ?? address;
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
