import { fileURLToPath } from 'node:url';
import type { Feature } from '../features/feature.ts';
import type { Authentication } from '../features/identity/authentication.ts';
import type { Uploads } from '../features/media/files/uploads.ts';
import { registerHealthRoutes } from '../http/health-routes.ts';
import { createHttpServer, type Shell } from '../http/server.ts';
import type { Database } from '../platform/database/database.ts';
import type { Migration } from '../platform/database/migrator.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Config } from './config.ts';

export interface HttpServerOptions {
  migrations: Migration[];
  /** Where the web app was built to. */
  webDirectory?: string | undefined;
}

export interface HttpServerDependencies {
  config: Config;
  sql: Database;
  log: Logger;
  metrics: Metrics;
  features: Feature[];
  services: { authentication: Authentication; uploads: Pick<Uploads, 'origin'> };
}

const WEB_DIRECTORY = fileURLToPath(new URL('../web', import.meta.url));

/** Creates the HTTP server with the routes of every feature. It does not listen yet. */
export async function createNexusServer(
  { config, sql, log, metrics, features, services }: HttpServerDependencies,
  { migrations, webDirectory = WEB_DIRECTORY }: HttpServerOptions,
): Promise<Shell> {
  metrics.observeProcess();
  const shell = await createHttpServer({
    log,
    metrics,
    authentication: services.authentication,
    internal: { secret: config.internalSecret, openToLoopback: config.env !== 'prod' && config.isLocal },
    isLocal: config.isLocal,
    isServedOverHttps: config.publicUrl?.startsWith('https:') ?? false,
    bodyLimitBytes: config.bodyLimitBytes,
    trustedProxies: config.trustedProxies,
    webApp: { directory: webDirectory, uploadOrigin: await services.uploads.origin() },
    routes(server, registered) {
      registerHealthRoutes(server, { sql, migrations, metrics });
      for (const feature of features) feature.routes?.(server, registered);
    },
  });
  for (const feature of features) if (feature.onDrain) shell.drain.onStart(feature.onDrain);
  return shell;
}
