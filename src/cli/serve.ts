import type { Command } from 'commander';
import { bootstrap } from '../app/bootstrap.ts';
import { type Config, parseConfig, readEnvironment } from '../app/config.ts';
import { openMigratedDatabase } from '../app/database.ts';
import { listen } from '../app/listen.ts';
import { createNexus } from '../app/nexus.ts';
import { createResources } from '../app/resources.ts';
import { openUnlessStopped, untilStopped } from '../app/shutdown.ts';
import type { SignInLink } from '../features/identity/sign-in-links.ts';
import type { Shell } from '../http/server.ts';
import { createLogger, type Logger } from '../platform/telemetry/logger.ts';
import { createMetrics } from '../platform/telemetry/metrics.ts';
import { startTracing } from '../platform/telemetry/otlp.ts';
import { NEXUS_VERSION } from '../platform/version.ts';
import { print } from './output.ts';

export function define(command: Command): void {
  command
    .option('--no-worker', 'serve requests only, and leave jobs to `nexus worker` processes')
    .action(async (options: { worker: boolean }) => {
      const config = parseConfig(readEnvironment());
      const log = createLogger(config.log);
      for (const name of config.unknownVariables)
        log.warn(`${name} is set, but Nexus knows no such variable`);
      const tracing = await startTracing({ log, variables: config.openTelemetry, purpose: 'serve' });
      try {
        await serve(config, log, options.worker);
      } finally {
        await tracing.stop();
      }
    });
}

async function serve(config: Config, log: Logger, withWorker: boolean): Promise<void> {
  const stopped = untilStopped(() => process.exit(1));
  log.info(config.databaseUrl ? 'connecting to the database' : `starting PostgreSQL in ${config.dataDir}`);
  const opening = openMigratedDatabase(config, { log, purpose: 'serve', whenOwned: 'refuse' });
  const database = await openUnlessStopped(opening, { stopped, config, log });
  const metrics = createMetrics();
  const resources = createResources({ config, log, metrics });
  const nexus = createNexus({ ...database, config, log, metrics, resources });
  const { services, engine } = nexus;
  let shell: Shell | undefined;
  try {
    await resources.open();
    const adminKey = await bootstrap(config, { ...database, log, users: services.users });
    await nexus.start();
    shell = await nexus.httpServer(database);
    const address = await listen(shell.server, { ...config, variable: 'NEXUS_PORT' });
    const worker = withWorker ? await engine.work(config.worker) : undefined;
    const firstLink = await services.signInLinks.createForFirstAdmin();
    const open = config.publicUrl ?? address;
    print(welcome({ open, address, place: database.place, adminKey, firstLink }));
    const signal = await stopped;
    log.info(`${signal}: finishing what is under way`);
    await Promise.all([shell.drain.start(config.shutdownGraceSeconds * 1000), worker?.stop()]);
  } finally {
    await shell?.server.close();
    await nexus.close();
    await resources.close();
    await database.close();
  }
  log.info('stopped');
}

interface Welcome {
  /** Where people reach Nexus; `address` is where it listens. */
  open: string;
  address: string;
  place: string;
  adminKey: string | undefined;
  firstLink: SignInLink | undefined;
}

function welcome({ open, address, place, adminKey, firstLink }: Welcome): string {
  const lines = ['', `  Nexus ${NEXUS_VERSION} is ready.`, '', `  Open      ${open}`];
  if (firstLink) {
    lines.push(
      `  Sign in   ${open}${firstLink.path}`,
      `            signs you in as ${firstLink.username}, once, until ${firstLink.expires_at.toISOString()}`,
    );
  }
  if (adminKey)
    lines.push(`  Try       curl -H 'X-Nexus-API-Key: ${adminKey}' ${address}/api/v1/auth/whoami`);
  return [...lines, `  Data      ${place}`, '  Stop      Ctrl-C', ''].join('\n');
}
