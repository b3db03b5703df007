import { fileURLToPath } from 'node:url';
import { createAnalysisFeature } from '../features/analysis/feature.ts';
import { createBackupFeature } from '../features/backup/feature.ts';
import { createBranchesFeature } from '../features/branches/feature.ts';
import { createEventsFeature } from '../features/events/feature.ts';
import type { Platform } from '../features/feature.ts';
import { createGovernanceFeature } from '../features/governance/feature.ts';
import { createGraphFeature } from '../features/graph/feature.ts';
import { createHighlightsFeature, highlightHooks } from '../features/highlights/feature.ts';
import { createIdentityFeature } from '../features/identity/feature.ts';
import { createLibrariesFeature, userHooks } from '../features/libraries/feature.ts';
import { createMediaFeature } from '../features/media/feature.ts';
import { createOperationsFeature } from '../features/operations/feature.ts';
import { emitJobsEnded } from '../features/operations/job-events.ts';
import { createRulesFeature, ruleHooks } from '../features/rules/feature.ts';
import { createTransferFeature } from '../features/transfer/feature.ts';
import { createWebhooksFeature } from '../features/webhooks/feature.ts';
import { registerHealthRoutes } from '../http/health-routes.ts';
import { createHttpServer, type Shell } from '../http/server.ts';
import type { NameSource } from '../platform/audit/names.ts';
import { keepDuringBackups } from '../platform/backup/backup-lock.ts';
import type { ConnectionTarget, Database, Transaction } from '../platform/database/database.ts';
import { createListener } from '../platform/database/listener.ts';
import type { Migration } from '../platform/database/migrator.ts';
import { createIdempotentRequests } from '../platform/idempotency/idempotent-requests.ts';
import type { IntegrityCheck } from '../platform/integrity/check.ts';
import { createJobEngine } from '../platform/jobs/engine.ts';
import { createJobQueue } from '../platform/jobs/queue.ts';
import { createDispatcher } from '../platform/outbox/dispatcher.ts';
import { periodicOutboxSweep } from '../platform/outbox/maintenance.ts';
import { ROOT } from '../platform/program.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Config } from './config.ts';
import { foldFeatures } from './fold-features.ts';
import { measureClock, measureConnections, measureDisk } from './measurements.ts';
import type { Resources } from './resources.ts';

interface NexusDependencies {
  config: Config;
  sql: Database;
  log: Logger;
  /** Where to listen for other processes. Commands that neither work nor serve leave it out. */
  listenAt?: ConnectionTarget | undefined;
  resources: Resources;
  /** The metrics that the resources report to, too. */
  metrics: Metrics;
}

interface ServerOptions {
  migrations: Migration[];
  /** Where the web app was built to. */
  webDirectory?: string | undefined;
}

const WEB_DIRECTORY = fileURLToPath(new URL('dist/web', ROOT));

export type Nexus = ReturnType<typeof createNexus>;
export type Services = Nexus['services'];

/** All of Nexus in this process. Creating it opens no connection, listens nowhere and starts no process. */
export function createNexus({ config, sql, log, listenAt, resources, metrics }: NexusDependencies) {
  const listener = createListener({ sql, log, listenAt });
  const queue = createJobQueue({
    sql,
    log,
    listener,
    leaseSeconds: config.jobs.leaseSeconds,
    onJobsEnded: emitJobsEnded,
    metrics,
  });
  const checks: IntegrityCheck[] = [];
  const names: NameSource[] = [];
  const { features, services } = createFeatures({
    ...resources,
    storage: keepDuringBackups(resources.storage, sql),
    config,
    sql,
    log,
    queue,
    listener,
    metrics,
    checks,
    names,
  });
  checks.push(...features.flatMap((feature) => feature.checks ?? []));
  names.push(...features.flatMap((feature) => feature.names ?? []));
  for (const source of features.flatMap((feature) => feature.metrics ?? [])) metrics.addSource(source);
  metrics.addSource(() => measureConnections(sql, config.database.poolSize));
  metrics.addSource(resources.measurePools);
  metrics.addSource(() => measureClock(sql));
  metrics.addSource(() => measureDisk(config.dataDir));

  const subscribers = features.flatMap((feature) => feature.subscribers ?? []);
  const dispatcher = createDispatcher({ sql, log, subscribers, metrics });
  const engine = createJobEngine({
    queue,
    types: features.flatMap((feature) => feature.jobTypes ?? []),
    periodic: [
      ...features.flatMap((feature) => feature.periodic ?? []),
      periodicOutboxSweep(dispatcher, config.outbox.sweepMinutes),
    ],
    sources: [dispatcher, ...features.flatMap((feature) => feature.workSources ?? [])],
    retentionDays: config.jobs.retentionDays,
  });

  return {
    services,
    queue,
    metrics,
    listener,
    engine,

    /** Creates the HTTP server with the routes of every feature. It does not listen yet. */
    async httpServer({ migrations, webDirectory = WEB_DIRECTORY }: ServerOptions): Promise<Shell> {
      metrics.observeProcess();
      const shell = await createHttpServer({
        log,
        metrics,
        authentication: services.authentication,
        idempotentRequests: createIdempotentRequests({ sql }),
        internal: { secret: config.internalSecret, openToLoopback: config.env !== 'prod' && config.isLocal },
        isLocal: config.isLocal,
        publicUrl: config.publicUrl,
        bodyLimitBytes: config.bodyLimitBytes,
        trustedProxies: config.trustedProxies,
        corsOrigins: config.corsOrigins,
        webApp: { directory: webDirectory, uploadOrigin: await services.uploads.origin() },
        apiRoutes(api, registered) {
          for (const feature of features) feature.routes?.(api, registered);
        },
        otherRoutes(server) {
          registerHealthRoutes(server, { sql, migrations, metrics });
          for (const feature of features) feature.appRoutes?.(server);
        },
      });
      for (const feature of features) if (feature.onDrain) shell.drain.onStart(feature.onDrain);
      return shell;
    },

    /** Runs what features do at each start of a server. */
    async start() {
      for (const feature of features) await feature.onStart?.();
    },

    async close() {
      metrics.close();
      await queue.close();
      await listener.close();
      for (const feature of features) await feature.close?.();
    },
  };
}

/** Called when a media replaces another: later features move what they keep with it. */
async function onReplace(tx: Transaction, loserId: string, winnerId: string): Promise<void> {
  await highlightHooks.onReplace(tx, loserId, winnerId);
  await ruleHooks.onReplace(tx, loserId, winnerId);
}

/** The features in their order: each may use the services of those above it. A new feature is one line here. */
function createFeatures(given: Platform & Resources & { config: Config }) {
  return foldFeatures(given)
    .add((platform) => createIdentityFeature({ ...platform, ...userHooks }))
    .add(createWebhooksFeature)
    .add(createOperationsFeature)
    .add((platform) => createLibrariesFeature({ ...platform, ...highlightHooks }))
    .add((platform) => createMediaFeature({ ...platform, onReplace }))
    .add(createHighlightsFeature)
    .add(createRulesFeature)
    .add(createGovernanceFeature)
    .add(createTransferFeature)
    .add(createAnalysisFeature)
    .add(createBranchesFeature)
    .add(createGraphFeature)
    .add(createEventsFeature)
    .add(createBackupFeature);
}
