import { fileURLToPath } from 'node:url';
import { registerAnalysisRoutes } from '../features/analysis/routes.ts';
import { registerBranchRoutes } from '../features/branches/routes.ts';
import { registerEventRoutes } from '../features/events/routes.ts';
import { registerGovernanceRoutes } from '../features/governance/routes.ts';
import { registerGraphRoutes } from '../features/graph/routes.ts';
import { registerIdentityRoutes } from '../features/identity/routes.ts';
import { registerSessionRoutes } from '../features/identity/session-routes.ts';
import { registerTokenRoutes } from '../features/identity/token-routes.ts';
import { registerLibrariesRoutes } from '../features/libraries/routes.ts';
import { registerQuotaRoutes } from '../features/media/files/quota-routes.ts';
import { registerUploadRoutes } from '../features/media/files/upload-routes.ts';
import { registerListRoutes } from '../features/media/lists/list-routes.ts';
import { registerMediaRoutes } from '../features/media/routes.ts';
import { registerSearchRoutes } from '../features/media/search/search-routes.ts';
import { registerTrashRoutes } from '../features/media/trash/trash-routes.ts';
import { registerJobRoutes } from '../features/operations/job-routes.ts';
import { registerOutboxRoutes } from '../features/operations/outbox-routes.ts';
import { registerOperationsRoutes } from '../features/operations/routes.ts';
import { registerExportRoutes } from '../features/transfer/routes.ts';
import { registerWebhookRoutes } from '../features/webhooks/routes.ts';
import { registerHealthRoutes } from '../http/health-routes.ts';
import { createHttpServer, type Shell } from '../http/server.ts';
import type { Database } from '../platform/database/database.ts';
import type { Migration } from '../platform/database/migrator.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { createMetrics, type Metrics } from '../platform/telemetry/metrics.ts';
import { createPrometheus, type Prometheus } from '../platform/telemetry/prometheus.ts';
import type { Config } from './config.ts';
import { measureInstallation } from './measurements.ts';

import type { Services } from './services.ts';

export interface AppDependencies {
  config: Config;
  sql: Database;
  migrations: Migration[];
  services: Services;
  log: Logger;
  prometheus?: Prometheus;
  /** Where the web app was built to. */
  webDirectory?: string;
}

const WEB_DIRECTORY = fileURLToPath(new URL('../web', import.meta.url));

/** The whole HTTP application, not yet listening. */
export async function buildApp({
  config,
  sql,
  migrations,
  services,
  log,
  prometheus = createPrometheus(),
  webDirectory = WEB_DIRECTORY,
}: AppDependencies): Promise<Shell> {
  const metrics = createMetrics();
  measureBacklogs(metrics, services);
  measureInstallation(prometheus, sql, services);
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
    onAnswered: prometheus.observeRequest,
    routes(server, registered) {
      server.addHook('onClose', async () => prometheus.close());
      registerHealthRoutes(server, { sql, migrations, metrics, prometheus });
      registerIdentityRoutes(server, { ...services, registered });
      registerSessionRoutes(server, services);
      registerTokenRoutes(server, services.tokens);
      registerLibrariesRoutes(server, services);
      registerListRoutes(server, services);
      registerSearchRoutes(server, services.search);
      registerMediaRoutes(server, services);
      registerUploadRoutes(server, services.uploads);
      registerTrashRoutes(server, services.trash);
      registerQuotaRoutes(server, services.quota);
      registerGovernanceRoutes(server, services);
      registerExportRoutes(server, services.exports);
      registerAnalysisRoutes(server, services);
      registerGraphRoutes(server, services.graph);
      registerBranchRoutes(server, services.branches);
      registerOperationsRoutes(server, services.operations);
      registerJobRoutes(server, services);
      registerOutboxRoutes(server, services.outbox);
      registerEventRoutes(server, services);
      registerWebhookRoutes(server, services.webhooks);
    },
  });
  shell.drain.onStart(services.eventStreams.close);
  return shell;
}

function measureBacklogs(metrics: Metrics, { backfill, outbox, eventStreams }: Services): void {
  const named = (prefix: string, values: object) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, Number(value)]));
  metrics.gauge(async () => named('backfill', await backfill.health()));
  metrics.gauge(async () => named('outbox', await outbox.health()));
  metrics.gauge(async () => ({ 'events.open_streams': eventStreams.count() }));
}
